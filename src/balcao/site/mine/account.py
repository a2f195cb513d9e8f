"""Pages for the citizen's sessions, and for text that was typed but not sent."""

from typing import Any

from balcao.core.http.responses import Response
from balcao.site.mine.declaration import Pages
from balcao.site.mine.visit import Visit
from balcao.web.faults import make_not_found
from balcao.web.visit import DRAFT_IN_ADDRESS

pages = Pages("account", "")


@pages.get("/sessoes", "Onde minha conta está aberta")
async def list_sessions(visit: Visit) -> Response[Any]:
    """List the citizen's open sessions on the site."""
    return visit.render("mine/sessions.html", sessions=await visit.mine.sessions.list_own(visit.session))


@pages.post("/sessoes/encerrar", "Sair dos outros aparelhos")
async def end_sessions(visit: Visit) -> Response[Any]:
    """End one of the citizen's other sessions, or all of them if the form names none."""
    named = visit.posted.first("sessao")
    ended = await visit.mine.sessions.end_other_sessions(visit.session, [named] if named else None)
    notice = "A sua conta não estava aberta em outro aparelho."
    if ended:
        where = "no outro aparelho" if ended == 1 else f"nos outros {ended} aparelhos"
        notice = f"Pronto: a sua conta foi fechada {where}."
    return await visit.redirect(visit.address("account.list_sessions"), notice)


@pages.get("/rascunhos/{number}", "O que você escreveu")
async def show_draft(visit: Visit, number: str) -> Response[Any]:
    """Redirect to the form into which the text was typed."""
    draft = await visit.mine.sessions.drafts.read(visit.session, number)
    if draft is None:
        raise make_not_found()
    return await visit.redirect(f"{draft.path}?{DRAFT_IN_ADDRESS}={number}")


@pages.post("/rascunhos/{number}/descartar", "Descartar o que escrevi")
async def drop_draft(visit: Visit, number: str) -> Response[Any]:
    """Delete a draft, which is text that was typed but not sent."""
    await visit.mine.sessions.drafts.drop(visit.session, number)
    return await visit.redirect(visit.address("home.show"), "O que você tinha escrito foi apagado.")
