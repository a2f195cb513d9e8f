"""Pages for the phone book: the owner of a number, and numbers in quarantine."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.counter import client
from balcao.panel.counter.forms import PhoneForm
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.api import Conflict, NotFound
from balcao.web.lists import Listing, Tab
from balcao.web.visit import Crumb

READ, WRITE = "phones:read", "phones:write"
ENDED = "terminadas"

pages = Pages("counter", "")


@pages.form("/telefones", "Telefones", actions=[READ], in_menu=True)
async def show_phone(visit: Visit) -> Response[Any]:
    """Ask for a number and a reason, and show the number's owner with masked data.

    The number never appears in an address.
    """
    form = PhoneForm(visit)
    is_read = form.is_sent and await form.submit(
        lambda: client.read_phone_status(visit.api, form.digits, form.reason.data or "")
    )
    phone = form.result if is_read else None
    return visit.render("counter/phone.html", form=form, phone=phone, status=form.status)


@pages.post("/telefones/quarentena/incluir", "Pôr em quarentena", actions=[WRITE])
async def quarantine_phone(visit: Visit) -> Response[Any]:
    """Put a number into quarantine. From then on, it no longer identifies a citizen."""
    number, reason = visit.posted.first("number"), visit.posted.first("reason")
    await client.quarantine_phone(visit.api, number, reason)
    return await visit.redirect(visit.address("counter.show_phone"), "O telefone está em quarentena.")


@pages.post("/telefones/quarentena/encerrar", "Encerrar a quarentena", actions=[WRITE])
async def release_phone(visit: Visit) -> Response[Any]:
    """End a quarantine. If it has already ended, show the message from the service."""
    number, reason = visit.posted.first("number"), visit.posted.first("reason")
    back = visit.address("counter.list_quarantined")
    try:
        await client.release_phone(visit.api, number, reason or "Quarentena encerrada no painel")
    except (NotFound, Conflict) as fault:
        return await visit.redirect(back, fault.text, is_done=False)
    return await visit.redirect(back, "A quarentena foi encerrada: o telefone está livre.")


@pages.get("/telefones/quarentena", "Quarentena de telefones", actions=[READ], in_menu=True)
async def list_quarantined(visit: Visit) -> Response[Any]:
    """List the numbers in quarantine, or the numbers whose quarantine ended recently."""
    tabs = [Tab("", "Em quarentena"), Tab(ENDED, "Terminadas há pouco")]
    listing = Listing(visit, ("telefone", "telefones"), tabs=tabs)
    found = await client.list_quarantined_phones(
        visit.api, expired=listing.tab == ENDED, page=listing.number, size=listing.size
    )
    listing.rows, listing.total = found.data, found.pagination.total
    crumbs = [Crumb("Telefones", visit.address("counter.show_phone"))]
    return visit.render("counter/quarantined.html", listing=listing, may_write=visit.may(WRITE), crumbs=crumbs)
