"""Declares the counter area: attendances, the phone book, and the city's reference data."""

from balcao.panel.counter import new_request, pages, phones, reference, requests
from balcao.panel.declaration import Area, Pages, Waiting

AREA = Area(
    "Cidadão",
    50,
    Pages("counter", "", [part.pages for part in (pages, new_request, requests, phones, reference)]),
    waiting=[Waiting([pages.READ], pages.find_open_attendances)],
)
