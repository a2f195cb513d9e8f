"""The area “Catálogo”: its pages in the order of the navigation, its waiting items and its search results."""

from balcao.panel.catalogue import (
    approval_pages,
    control_pages,
    editing_pages,
    feedback_pages,
    mapping_pages,
    migration_pages,
    phrase_pages,
    routes,
    service_pages,
    tuning_pages,
    version_pages,
)
from balcao.panel.declaration import Area, Finder, Pages, Waiting

_PARTS = (
    service_pages,
    editing_pages,
    version_pages,
    approval_pages,
    mapping_pages,
    tuning_pages,
    phrase_pages,
    feedback_pages,
    control_pages,
    migration_pages,
)
pages = Pages(routes.AREA, "", [part.pages for part in _PARTS])

AREA = Area(
    "Catálogo",
    10,
    pages,
    waiting=[
        Waiting([routes.UPDATE], approval_pages.find_returned),
        Waiting([routes.PUBLISH], approval_pages.find_approvals, "catalogue.list_approvals"),
        Waiting([routes.TUNING], phrase_pages.find_searches_without_service, "catalogue.list_phrase_proposals"),
        Waiting([routes.MIGRATIONS_READ], migration_pages.find_running_migration),
    ],
    finders=[Finder([routes.READ], service_pages.find_services)],
)
