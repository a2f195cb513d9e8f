"""Pages for settings that operators change at runtime: rate limits and maintenance.

Each change needs a confirmation.
"""

from datetime import datetime, timedelta
from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.declaration import Pages
from balcao.panel.operation import platform_client
from balcao.panel.operation.declared import AREA, BASE, LIMITS, MAINTENANCE, OPERATION
from balcao.panel.operation.forms import LimitForm, MaintenanceForm
from balcao.panel.operation.labels import describe_limit, describe_rate, name_service
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, gather_blocks
from balcao.web.forms import list_choices
from balcao.web.lists import Filter, Listing
from balcao.web.visit import Crumb

CHANGED = [("true", "Mudados ao vivo"), ("false", "Como configurados")]
CONFIRMED = "confirmado"
# The first page shows only this many limits: the general ones, each of which applies to many operations.
GENERAL = 10

pages = Pages(AREA, BASE)


@pages.get("/limites", "Limites e manutenção", actions=[OPERATION], in_menu=True)
async def list_limits(visit: Visit) -> Response[Any]:
    """List the services in maintenance, and the limits. Temporarily changed limits come first."""
    filters = [
        Filter("nome", "Procurar um limite", is_wide=True),
        Filter("situacao", "Situação", CHANGED, unset="Todas"),
    ]
    listing = Listing(visit, ("limite", "limites"), filters)
    if not listing.values:  # the general limits come first, so show only those
        listing.size = GENERAL
    changed = {"true": True, "false": False}.get(listing.values.get("situacao", ""))
    (maintenance,) = await gather_blocks(platform_client.list_maintenance(visit.api))
    found = await platform_client.list_limits(
        visit.api, search=listing.values.get("nome"), changed=changed, page=listing.number, size=listing.size
    )
    listing.rows, listing.total = found.data, found.pagination.total
    return visit.render(
        "operation/limits.html",
        listing=listing,
        maintenance=maintenance,
        name_service=name_service,
        describe_rate=describe_rate,
        describe_limit=describe_limit,
    )


@pages.form("/limites/{limit}/mudar", "Mudar o limite", actions=[LIMITS])
async def change_limit(visit: Visit, limit: str) -> Response[Any]:
    """Set a temporary rate. First show the effects and ask for confirmation."""
    found = await platform_client.read_limit(visit.api, limit)
    form = LimitForm(visit)
    if _is_confirmed(visit) and await form.submit(lambda: platform_client.change_limit(visit.api, limit, form.body)):
        said = f"{describe_limit(found)}: {describe_rate(form.rate)}, em todos os processos em segundos."
        return await visit.redirect(visit.address("operation.list_limits"), said)
    return visit.render(
        "operation/limit.html",
        form=form,
        limit=found,
        asks=_asks(visit, form),
        ends_at=_find_end(visit, form.minutes.data),
        describe_rate=describe_rate,
        describe_limit=describe_limit,
        crumbs=[_limits_crumb(visit)],
        status=form.status,
    )


@pages.post("/limites/{limit}/desfazer", "Voltar ao configurado", actions=[LIMITS])
async def reset_limit(visit: Visit, limit: str) -> Response[Any]:
    """Restore the configured rate."""
    back = visit.address("operation.list_limits")
    found = await platform_client.read_limit(visit.api, limit)
    try:
        await platform_client.reset_limit(visit.api, limit)
    except Conflict as fault:  # the change has expired, or another person reset it
        return await visit.redirect(back, fault.text, is_done=False)
    return await visit.redirect(back, f"{describe_limit(found)}: volta a valer o configurado.")


@pages.form("/limites/manutencao", "Pôr em manutenção", actions=[MAINTENANCE])
async def begin_maintenance(visit: Visit) -> Response[Any]:
    """Put a service into maintenance, now or later. First show the effects and ask for confirmation."""
    zone = visit.panel.words.zone
    known = await platform_client.list_maintenance(visit.api)
    present = {each.service: each for each in known.data}
    asked = present.get(visit.query.first("servico"))
    form = MaintenanceForm(visit, {"service": asked.service, "message": asked.message} if asked else None)
    form.service.choices = list_choices([(name, name_service(name)) for name in known.services], is_asked=True)
    if _is_confirmed(visit) and await form.submit(
        lambda: platform_client.begin_maintenance(visit.api, form.service.data or "", form.make_body(zone))
    ):
        name = name_service(form.service.data or "")
        said = (
            f"A manutenção está planejada e anunciada: {name}."
            if form.begins_at.data
            else f"{name} em manutenção, em todos os processos em segundos."
        )
        return await visit.redirect(visit.address("operation.list_limits"), said)
    return visit.render(
        "operation/maintenance.html",
        form=form,
        asks=_asks(visit, form),
        begins_at=form.find_begin(zone),
        ends_at=_find_end(visit, form.minutes.data, form.find_begin(zone)),
        present=present,
        planned={each.service: each for each in known.planned},
        name_service=name_service,
        crumbs=[_limits_crumb(visit)],
        status=form.status,
    )


@pages.post("/limites/manutencao/{service}/encerrar", "Encerrar a manutenção", actions=[MAINTENANCE])
async def end_maintenance(visit: Visit, service: str) -> Response[Any]:
    """End a service's maintenance, or cancel planned maintenance."""
    back = visit.address("operation.list_limits")
    try:
        await platform_client.end_maintenance(visit.api, service)
    except Conflict as fault:  # the maintenance has already ended
        return await visit.redirect(back, fault.text, is_done=False)
    return await visit.redirect(back, f"{name_service(service)} de novo no ar, em todos os processos em segundos.")


def _is_confirmed(visit: Visit) -> bool:
    return visit.is_post and visit.posted.first(CONFIRMED) == "sim"


def _asks(visit: Visit, form: LimitForm | MaintenanceForm) -> bool:
    """Return whether the typed values are valid and only the confirmation is missing."""
    return form.is_sent and visit.posted.first(CONFIRMED) == "" and form.validate()


def _find_end(visit: Visit, minutes: str | None, begin: datetime | None = None) -> datetime | None:
    begin = begin or visit.panel.words.now()
    return begin + timedelta(minutes=int(minutes)) if minutes and minutes.isdigit() else None


def _limits_crumb(visit: Visit) -> Crumb:
    return Crumb("Limites e manutenção", visit.address("operation.list_limits"))
