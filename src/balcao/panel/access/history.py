"""Pages for the catalogue's history: changes, refused changes, and verification of the event chain."""

from datetime import datetime, time, timedelta
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.access import catalogue_client, client, labels
from balcao.panel.access.rights import AUDIT_READ
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.lists import Filter, Listing, read_day
from balcao.web.visit import Crumb

pages = Pages("access", "/acessos/historico")


@pages.get("", "Histórico", actions=[AUDIT_READ], in_menu=True)
async def list_events(visit: Visit) -> Response[Any]:
    """List the events, newest first."""
    return await _list(visit, {}, "")


@pages.get("/pessoas/{person}", "Histórico da pessoa", actions=[AUDIT_READ])
async def list_person_events(visit: Visit, person: str) -> Response[Any]:
    """List the events that concern one person."""
    user = await client.find_user(visit.api, person)
    return await _list(visit, {"subject": user.cpf}, labels.name_person(user.display_name, user.cpf))


@pages.get("/conferir", "Conferir a corrente", actions=[AUDIT_READ])
async def verify_chain(visit: Visit) -> Response[Any]:
    """Verify the whole chain of events."""
    verdict = await catalogue_client.verify_chain(visit.api)
    crumbs = [Crumb("Histórico", visit.address("access.list_events"))]
    return visit.render("access/verdict.html", verdict=verdict, crumbs=crumbs, read_at=visit.panel.words.now())


async def _list(visit: Visit, query: dict[str, Any], person: str) -> Response[Any]:
    filters = [
        Filter("feito", "O que se fez", list(labels.EVENTS.items()), is_wide=True),
        Filter("alvo", "Nome do que mudou"),
        Filter("desfecho", "Desfecho", [("done", "Feito"), ("denied", "Recusado")], unset="Qualquer"),
        Filter("de", "Desde", is_day=True),
        Filter("ate", "Até", is_day=True),
    ]
    listing = Listing(visit, ("evento", "eventos"), filters)
    since, until = _read_day(visit, listing, "de"), _read_day(visit, listing, "ate")
    asked = {
        "operation": listing.values.get("feito"),
        "target_name": listing.values.get("alvo"),
        "outcome": listing.values.get("desfecho"),
        "since": since and since.isoformat(),
        "until": until and (until + timedelta(days=1)).isoformat(),
    }
    found = await catalogue_client.list_events(visit.api, asked | query, limit=listing.size, skip=listing.skip)
    listing.rows, listing.total = found.items, found.total
    crumbs = [Crumb("Histórico", visit.address("access.list_events"))] if person else []
    return visit.render(
        "access/events.html",
        listing=listing,
        person=person,
        crumbs=crumbs,
        labels=labels,
    )


def _read_day(visit: Visit, listing: Listing, name: str) -> datetime | None:
    """Return the start of a day in the city's time zone, or None without a day."""
    day = read_day(listing.values.get(name, ""))
    return None if day is None else datetime.combine(day, time(), visit.panel.words.zone)
