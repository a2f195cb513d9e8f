"""The first page and the person's own pages: "Ir para", rights, sessions and drafts."""

import re
from collections.abc import Sequence
from typing import Any

from balcao.core.http.responses import Response, redirect
from balcao.core.values.cpf import Cpf
from balcao.core.values.pasted import clean_pasted
from balcao.core.values.text import fold_text
from balcao.panel.declaration import Area, Item, Pages, Waiting
from balcao.panel.visit import Visit
from balcao.panel.waiting import read_waiting
from balcao.panel.working import service as working
from balcao.web.api import gather_blocks
from balcao.web.faults import make_not_found
from balcao.web.visit import Crumb
from balcao.web.words import format_count

pages = Pages("home", "")
_URGENCY = {"urgent": 0, "warning": 1, "info": 2}
_LONGEST_QUESTION = 100
# A CPF or phone number, possibly mistyped: at least ten digits and no letters.
_NUMBER_OF_A_PERSON = re.compile(r"[^\w]*(?:\d[^\w]*){10,}")


@pages.get("", "Início", in_menu=True)
async def show_start(visit: Visit) -> Response[Any]:
    """Show the items that await the person's action in all their areas. Name the areas that could not be read."""
    found = await read_waiting(visit)
    away = [(one.area.label, one.block.fault) for one in found if one.block.fault is not None]
    items = sorted((item for one in found for item in one.block.value or ()), key=lambda item: _URGENCY[item.urgency])
    return visit.render("home/start.html", items=items, away=away)


@pages.form("/ir", "Ir para")
async def go_to(visit: Visit) -> Response[Any]:
    """Search the page names and the data of each area. If there is only one result, open it immediately.

    The search text is sent by POST, because it may be a person's number. Such a number never appears in an address and
    is never sent to a service for searching. The attendance page receives a CPF in a form. Any other text becomes part
    of the address.
    """
    asked = clean_pasted((visit.posted if visit.is_post else visit.query).first("q")[:_LONGEST_QUESTION])
    if _NUMBER_OF_A_PERSON.fullmatch(asked):
        return await _go_to_person(visit, asked)
    if visit.is_post:
        return await visit.redirect(visit.address("home.go_to", _query={"q": asked}))
    found = _find_pages(visit, asked) if asked else []
    finders = [
        (area, one)
        for area in visit.panel.areas
        for one in area.finders
        if asked and visit.rights.include(*one.actions)
    ]
    blocks = await gather_blocks(*(one.find(visit, asked) for _, one in finders))
    further = [item for block in blocks for item in block.value or ()]
    if len(found) + len(further) == 1:
        return await visit.redirect((found or further)[0].href)
    away = [area.label for (area, _), block in zip(finders, blocks, strict=True) if block.fault is not None]
    return visit.render("home/go.html", asked=asked, found=found, further=further, away=away)


async def _go_to_person(visit: Visit, asked: str) -> Response[Any]:
    """Open the attendance form with the CPF filled in, or explain why this is not possible."""
    if not visit.is_post:
        return await visit.redirect(
            visit.address("home.go_to"), "O número de uma pessoa não fica no endereço.", is_done=False
        )
    if Cpf.parse_claim(asked) is not None and visit.may_open("counter.begin"):
        return redirect(visit.address("counter.begin"), 307)
    return visit.render("home/go.html", asked="", found=[], further=[], away=[], is_number=True)


@pages.get("/conta", "O que posso fazer")
async def show_account(visit: Visit) -> Response[Any]:
    """Show the person's rights and the reach of each."""
    return visit.render("home/account.html", rights=visit.rights)


@pages.post("/presenca", "Quem está aqui", is_use=False)
async def heartbeat(visit: Visit) -> Response[Any]:
    """Record that the form is still open, and show who else has it open."""
    others = await working.heartbeat(visit)
    if others is None:
        raise make_not_found()
    return visit.render("frame/present.html", others=others)


@pages.post("/rascunhos/guardar", "Guardar o texto")
async def keep_typed(visit: Visit) -> Response[Any]:
    """Store the typed text of a form as a draft while the person types."""
    if not await working.keep_typed(visit):
        raise make_not_found()
    return visit.render("frame/kept.html")


@pages.get("/conta/sessoes", "Minhas sessões")
async def list_sessions(visit: Visit) -> Response[Any]:
    """List the person's current sessions in the panel."""
    sessions = await visit.panel.sessions.list_own(visit.session)
    crumbs = [Crumb("O que posso fazer", visit.address("home.show_account"))]
    return visit.render("home/sessions.html", sessions=sessions, crumbs=crumbs)


@pages.post("/conta/sessoes/encerrar", "Encerrar sessões")
async def end_sessions(visit: Visit) -> Response[Any]:
    """End one of the person's other sessions, or all other sessions if the form names none."""
    named = visit.posted.first("sessao")
    ended = await visit.panel.sessions.end_other_sessions(visit.session, [named] if named else None)
    notice = f"{format_count(ended, 'sessão encerrada', 'sessões encerradas')}." if ended else "Ela já tinha terminado."
    return await visit.redirect(visit.address("home.list_sessions"), notice)


@pages.get("/rascunhos", "Textos guardados")
async def list_drafts(visit: Visit) -> Response[Any]:
    """List the drafts that the person has typed but not sent."""
    return visit.render("home/drafts.html", drafts=await visit.panel.sessions.drafts.list_own(visit.session))


@pages.get("/rascunhos/{draft}", "Texto guardado")
async def show_draft(visit: Visit, draft: str) -> Response[Any]:
    """Show a draft, and a button that opens the form with its text. This does not send the form."""
    kept = await visit.panel.sessions.drafts.read(visit.session, draft)
    if kept is None:
        raise make_not_found()
    crumbs = [Crumb("Textos guardados", visit.address("home.list_drafts"))]
    return visit.render("home/draft.html", number=draft, draft=kept, crumbs=crumbs)


@pages.post("/rascunhos/{draft}/esquecer", "Esquecer o texto")
async def drop_draft(visit: Visit, draft: str) -> Response[Any]:
    """Delete a draft."""
    await visit.panel.sessions.drafts.drop(visit.session, draft)
    return await visit.redirect(visit.address("home.list_drafts"), "O texto foi apagado.")


def _find_pages(visit: Visit, asked: str) -> list[Item]:
    wanted = fold_text(asked).split()
    found = []
    for area, shown in visit.list_navigation():
        for page in shown:
            if all(word in fold_text(f"{area.label} {page.label}") for word in wanted):
                found.append(Item(page.label, page.address(), detail=area.label, action_label="Abrir"))
    return found


async def find_drafts(visit: Visit) -> Sequence[Item]:
    """Return the person's drafts, for the first page."""
    drafts = await visit.panel.sessions.drafts.list_own(visit.session)
    return [
        Item(
            draft.title,
            visit.address("home.show_draft", draft=number),
            text="tem um texto seu que não foi enviado",
            detail="Fica guardado por 24 horas, só para você",
            action_label="Continuar",
            number=0,
        )
        for number, draft in drafts
    ]


AREA = Area("", 0, pages, waiting=[Waiting([], find_drafts)])
