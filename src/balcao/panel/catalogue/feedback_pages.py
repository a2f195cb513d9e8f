"""Pages for visitors' feedback: the services that received feedback, and the comments on one service."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.panel.catalogue import client, search_client
from balcao.panel.catalogue.client import to_moment
from balcao.panel.catalogue.routes import AREA, READ, UPDATE, service_crumbs
from balcao.panel.declaration import Pages
from balcao.panel.visit import Visit
from balcao.web.api import NotFound
from balcao.web.lists import Listing, Tab
from balcao.web.visit import Crumb

_HELPED = {"ajudou": True, "nao-ajudou": False}

pages = Pages(AREA, "")


@pages.get("/avaliacoes", "O que as pessoas acharam", actions=[READ], in_menu=True)
async def list_rated_services(visit: Visit) -> Response[Any]:
    """List the services with feedback from the last 90 days. The least helpful pages come first."""
    listing = Listing(visit, ("serviço", "serviços"))
    found = await search_client.list_rated_services(visit.api, listing.number, listing.size)
    listing.rows, listing.total = found.services, found.found
    return visit.render("catalogue/rated_services.html", listing=listing)


@pages.get("/servicos/{service}/avaliacoes", "O que as pessoas acharam", actions=[READ])
async def show_feedback(visit: Visit, service: str) -> Response[Any]:
    """Show how often visitors found the page of a service helpful, and their comments, newest first."""
    known = (await client.read_service(visit.api, service)).value
    tabs = [Tab("", "Todos"), Tab("nao-ajudou", "Não ajudou"), Tab("ajudou", "Ajudou")]
    listing = Listing(visit, ("comentário", "comentários"), tabs=tabs, tabs_label="A página ajudou?")
    found = await search_client.read_feedback(
        visit.api, service, _HELPED.get(listing.tab), listing.number, listing.size
    )
    listing.rows, listing.total = found.comments, found.found
    return visit.render(
        "catalogue/feedback.html",
        service=known,
        feedback=found,
        listing=listing,
        to_moment=to_moment,
        may_delete=visit.may(UPDATE),
        crumbs=service_crumbs(visit, known),
    )


@pages.form("/servicos/{service}/avaliacoes/{comment}/excluir", "Excluir o comentário", actions=[UPDATE])
async def delete_comment(visit: Visit, service: str, comment: str) -> Response[Any]:
    """Ask for confirmation, and delete a comment that should not be kept."""
    known = (await client.read_service(visit.api, service)).value
    back = visit.address("catalogue.show_feedback", service=service)
    if visit.is_post:
        try:
            await search_client.delete_comment(visit.api, service, comment)
        except NotFound:  # another person has already deleted it
            return await visit.redirect(back, "O comentário já não existia.", is_done=False)
        return await visit.redirect(back, "O comentário foi excluído. As contagens não mudam.")
    crumbs = [*service_crumbs(visit, known), Crumb("O que as pessoas acharam", back)]
    return visit.render("catalogue/delete_comment.html", service=known, etag="", back=back, crumbs=crumbs)
