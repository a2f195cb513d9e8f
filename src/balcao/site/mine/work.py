"""Pages for the citizen's requests and job applications."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.site.jobs import client as jobs
from balcao.site.mine import client, labels
from balcao.site.mine.declaration import Pages
from balcao.site.mine.visit import Visit
from balcao.web.api import Block, NotFound, gather_blocks
from balcao.web.lists import Listing
from balcao.web.person import client as people
from balcao.web.words import format_phone

pages = Pages("work", "")


@pages.get("/pedidos", "Meus pedidos")
async def list_tickets(visit: Visit) -> Response[Any]:
    """List the citizen's requests."""
    listing = Listing(visit, ("pedido", "pedidos"), size=10)
    found = await people.list_tickets(await visit.read_subject(), page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.pagination.total
    return visit.render("mine/tickets.html", listing=listing, labels=labels)


@pages.get("/candidaturas", "Minhas candidaturas")
async def list_applications(visit: Visit) -> Response[Any]:
    """List the citizen's applications."""
    listing = Listing(visit, ("candidatura", "candidaturas"), size=20)
    found = await client.list_applications(await visit.read_subject(), page=listing.number, size=listing.size)
    listing.rows, listing.total = found.data, found.meta.total
    return visit.render("mine/applications.html", listing=listing, labels=labels)


@pages.get("/candidaturas/{application_id}", "Minha candidatura")
async def show_application(visit: Visit, application_id: str) -> Response[Any]:
    """Show an application: what happens now, the steps of the selection, and what has happened to it."""
    subject = await visit.read_subject()
    one = (await client.read_application(visit.api, application_id)).value
    has_ended = one.status in labels.ENDED
    site = visit.mine.site
    reader = site.make_reader(visit.request.peer, visit.request.id)
    blocks: list[Block[Any]] = await gather_blocks(
        client.read_history(visit.api, application_id),
        None if has_ended else people.read_provenance(subject),
        jobs.find_similar(reader, one.vaga.slug) if has_ended else None,
    )
    history, record, others = blocks
    known = record.value.find("telefone").value if record.value else ""
    return visit.render(
        "mine/application.html",
        title=one.vaga.titulo,
        one=one,
        history=history,
        has_ended=has_ended,
        next=labels.describe_next(one, format_phone(known) if known else ""),
        others=others.value or (),
        labels=labels,
    )


@pages.form("/candidaturas/{application_id}/retirar", "Retirar a candidatura")
async def withdraw_application(visit: Visit, application_id: str) -> Response[Any]:
    """Withdraw an application. First ask for confirmation, because a withdrawal cannot be undone."""
    back = visit.address("work.show_application", application_id=application_id)
    # A withdrawn application has no page of its own (rules: employability 2.7).
    after = visit.address("work.list_applications")
    try:
        found = await client.read_application(visit.api, application_id)
        if visit.is_post:
            await client.withdraw_application(visit.api, application_id, visit.posted.first("_etag"))
            return await visit.redirect(after, f"A candidatura a {found.value.vaga.titulo} foi retirada por você.")
    except NotFound:
        if not visit.is_post:
            raise
        # The button was pressed twice.
        return await visit.redirect(after, "Esta candidatura não está mais na sua lista.")
    return visit.render("mine/withdraw.html", one=found.value, etag=found.etag, back=back)
