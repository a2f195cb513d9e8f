"""The area of the counter: an attendance, the phone book, what the city offers."""

from balcao.console.counter import pages, phones, reference
from balcao.console.declaration import Area, Pages

AREA = Area("Cidadão", 50, Pages("counter", "", [part.pages for part in (pages, phones, reference)]))
