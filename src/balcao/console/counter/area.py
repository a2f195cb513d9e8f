"""The area of the counter."""

from balcao.console.counter import phones, reference
from balcao.console.counter.pages import pages
from balcao.console.declaration import Area

# Their pages are declared in this order, after those of an attendance.
DECLARING = (phones, reference)

AREA = Area("Cidadão", 50, pages)
