"""Pages for a service's history: its versions, the differences between two versions, and rollbacks."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.core.offloading import run_in_thread
from balcao.panel.catalogue import client
from balcao.panel.catalogue.client import to_moment
from balcao.panel.catalogue.content import follows, show_value
from balcao.panel.catalogue.forms import RollbackForm
from balcao.panel.catalogue.labels import FIELDS, STATE_FIELDS, name_fields, name_state, name_version
from balcao.panel.catalogue.routes import AREA, ROLL_BACK, VERSIONS, service_crumbs
from balcao.panel.declaration import Pages
from balcao.panel.diff import Change, compare
from balcao.panel.visit import Visit
from balcao.web.faults import make_not_found
from balcao.web.lists import Listing

pages = Pages(AREA, "")


@pages.get("/servicos/{service}/versoes", "Versões", actions=[VERSIONS])
async def list_versions(visit: Visit, service: str) -> Response[Any]:
    """Show the history of a service as a timeline. Two versions can be selected for comparison."""
    read = await client.read_service(visit.api, service)
    listing = Listing(visit, ("versão", "versões"))
    found = await client.list_versions(visit.api, service, listing.number, listing.size)
    listing.rows, listing.total = found.versions, found.found
    return visit.render(
        "catalogue/versions.html",
        service=read.value,
        listing=listing,
        state=name_state(read.value),
        crumbs=service_crumbs(visit, read.value),
        name_version=name_version,
        name_fields=name_fields,
        to_moment=to_moment,
        rolls_back=visit.may(ROLL_BACK),
    )


@pages.get("/servicos/{service}/diferenca", "Diferença", actions=[VERSIONS])
async def compare_versions(visit: Visit, service: str) -> Response[Any]:
    """Show the changes from one version to another, word by word."""
    read = await client.read_service(visit.api, service)
    old, new = (parse_number(visit.query.first(name)) for name in ("de", "para"))
    found = await client.compare_versions(visit.api, service, old, new)
    return visit.render(
        "catalogue/difference.html",
        service=read.value,
        old=old,
        new=new,
        differences=await run_in_thread(mark_changes, found),
        changed_by=found.changed_by,
        changed_at=to_moment(found.changed_at),
        crumbs=service_crumbs(visit, read.value),
        rolls_back=visit.may(ROLL_BACK),
    )


@pages.form("/servicos/{service}/voltar/{version}", "Voltar a uma versão", actions=[ROLL_BACK])
async def roll_back_service(visit: Visit, service: str, version: str) -> Response[Any]:
    """Restore an older version as a new version. First ask for confirmation."""
    read = await client.read_service(visit.api, service)
    number = parse_number(version)
    form = RollbackForm(visit, etag=read.etag)
    if form.is_sent:
        body = {"to_version": number, "change_reason": (form.change_reason.data or "").strip() or None}
        if await form.submit(lambda: client.roll_back_service(visit.api, service, body, form.etag)):
            back = visit.address("catalogue.show_service", service=service)
            return await visit.redirect(back, f"O texto da versão {number} voltou, como versão {form.result.version}.")
        if form.is_outdated:
            form.refusal = "Alguém gravou outra versão enquanto você lia: veja abaixo o que mudaria agora."
            form.etag = read.etag
    found = await client.compare_versions(visit.api, service, read.value.version, number)
    return visit.render(
        "catalogue/rollback.html",
        form=form,
        service=read.value,
        number=number,
        differences=await run_in_thread(mark_changes, found),
        crumbs=service_crumbs(visit, read.value),
        status=form.status,
    )


def mark_changes(found: client.Comparison) -> list[Change]:
    """Return the changes to the text, without the changes to the editorial state.

    A member that only follows another one, such as a text that repeats the cost in words, is omitted.
    """
    values = {one.field_name: (one.old_value, one.new_value) for one in found.changes}
    changed = [one for one in found.changes if one.field_name not in STATE_FIELDS]
    changed = [one for one in changed if not follows(one.field_name, values)]
    return compare(
        {one.field_name: FIELDS.get(one.field_name, one.field_name) for one in changed},
        {one.field_name: show_value(one.field_name, one.old_value) for one in changed},
        {one.field_name: show_value(one.field_name, one.new_value) for one in changed},
    )


def parse_number(text: str) -> int:
    """Parse a version number from an address. Raises PageFault for any other string."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise make_not_found()
    return int(text)
