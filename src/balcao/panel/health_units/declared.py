"""The area's name, address and rights, and functions that check which areas a right covers."""

from balcao.panel.visit import Visit
from balcao.web.faults import PageFault
from balcao.web.visit import Crumb

READ, MANAGE = "risk_notification:read", "risk_notification:manage"
UNITS, WEBHOOKS = "health_unit:manage", "risk_webhook:manage"

AREA, BASE = "health_units", "/saude"


def reaches(visit: Visit, action: str, area: str | None) -> bool:
    """Return whether the person's right covers an area.

    `area` is None for the whole city, or for a unit without an area.
    """
    limits = visit.rights.reach(action, "area")
    return limits is None or area in limits


def require_reach(visit: Visit, action: str, area: str | None) -> None:
    """Raise PageFault unless the person's right covers the area. The error page shows which areas it covers."""
    if not reaches(visit, action, area):
        limits = ", ".join(visit.rights.reach(action, "area") or []) or "nenhuma"
        where = "fora de todas as áreas" if area is None else f"na área {area}"
        text = f"Isto fica {where}, e a sua permissão alcança: {limits}. Quem administra os acessos pode mudar isso."
        fault = PageFault(403, "Fora do seu alcance", text)
        fault.actions = [action]
        raise fault


def units_crumb(visit: Visit) -> Crumb:
    """Return the breadcrumb for the list of units."""
    return Crumb("Unidades", visit.address("health_units.list_units"))


def unit_crumbs(visit: Visit, cnes: str, name: str) -> list[Crumb]:
    """Return the breadcrumbs for a unit's pages."""
    return [units_crumb(visit), Crumb(name, visit.address("health_units.show_unit", cnes=cnes))]
