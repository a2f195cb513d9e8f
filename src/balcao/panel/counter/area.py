"""Declares the counter area: attendances, the phone book, and the city's reference data."""

from balcao.panel.counter import pages, phones, reference, requests
from balcao.panel.declaration import Area, Pages, Waiting

AREA = Area(
    "Cidadão",
    50,
    Pages("counter", "", [part.pages for part in (pages, requests, phones, reference)]),
    waiting=[Waiting([pages.READ], pages.find_open_attendances)],
)
