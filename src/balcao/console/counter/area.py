"""The area of the counter: an attendance, the phone book, what the city offers."""

from balcao.console.counter import pages, phones, reference
from balcao.console.declaration import Area, Pages, Waiting

AREA = Area(
    "Cidadão",
    50,
    Pages("counter", "", [part.pages for part in (pages, phones, reference)]),
    waiting=[Waiting([pages.READ], pages.find_open_attendances)],
)
