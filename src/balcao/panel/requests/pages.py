"""Declares the area “Pedidos”: its pages in the order of the navigation, its waiting items and its search results."""

from balcao.panel.declaration import Area, Finder, Pages, Waiting
from balcao.panel.requests import queue_pages, type_pages

pages = Pages(queue_pages.AREA, "", [part.pages for part in (queue_pages, type_pages)])

AREA = Area(
    "Pedidos",
    45,
    pages,
    waiting=[Waiting([queue_pages.HANDLE], queue_pages.find_waiting, "requests.list_requests")],
    finders=[Finder([queue_pages.HANDLE], queue_pages.find_request)],
)
