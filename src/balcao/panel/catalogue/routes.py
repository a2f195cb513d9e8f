"""Code that the area's page modules share: rights, choices for forms, and breadcrumbs."""

from balcao.panel.catalogue import search_client
from balcao.panel.catalogue.client import Service
from balcao.panel.departments import read_department_names
from balcao.panel.visit import Visit
from balcao.web.api import ApiFault
from balcao.web.visit import Crumb

AREA = "catalogue"
READ, CREATE, UPDATE = "service:read", "service:create", "service:update"
PUBLISH, DELETE, ROLL_BACK = "service:publish", "service:delete", "service:rollback"
VERSIONS = "service_version:read"
REDIRECTS, CATEGORIES, TUNING = "service_redirect:manage", "search_category:manage", "search_tuning:manage"
MIGRATIONS_READ, MIGRATIONS_START, MIGRATIONS_BACK = (
    "search_migration:read",
    "search_migration:start",
    "search_migration:rollback",
)


async def read_departments(visit: Visit) -> dict[str, str]:
    """Return the department names by code.

    If they cannot be read, return an empty mapping, so that pages show the codes instead. For a submitted form, raise
    the error: without the names, the service would be saved with names in place of codes.
    """
    try:
        return await read_department_names(visit.api)
    except ApiFault:
        if visit.is_post:
            raise
        return {}


async def read_themes(visit: Visit) -> list[str]:
    """Return the selectable categories.

    If they cannot be read, return an empty list, so that the form offers only the service's own category.
    """
    try:
        return await search_client.list_public_categories(visit.api)
    except ApiFault:
        return []


def service_crumbs(visit: Visit, service: Service | None = None) -> list[Crumb]:
    """Return the breadcrumbs of a service's pages."""
    crumbs = [Crumb("Serviços", visit.address("catalogue.list_services"))]
    if service is not None:
        crumbs.append(Crumb(service.nome_servico, visit.address("catalogue.show_service", service=service.id)))
    return crumbs


def number_of(etag: str) -> int | None:
    """Extract the version number from the ETag of a service or proposal.

    Return None if the ETag contains no version.
    """
    digits = etag.strip('"').removeprefix("v").partition("-")[0]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
