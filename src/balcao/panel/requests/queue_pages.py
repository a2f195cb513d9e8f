"""Pages for the request queue: the list, one request with its steps and files, and the steps that staff take."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from balcao.core.http.responses import Response
from balcao.core.http.sent_headers import CONTENT_DISPOSITION
from balcao.core.values.ids import new_id
from balcao.panel.declaration import Item, Pages
from balcao.panel.departments import read_department_names
from balcao.panel.request_states import AUTHORS, STATES, TAGS, is_late, name_step
from balcao.panel.requests import client
from balcao.panel.requests.client import HandledRequest
from balcao.panel.requests.forms import StepForm
from balcao.panel.requests.labels import MOVES, Move, list_moves
from balcao.panel.visit import Visit
from balcao.web.api import Block, NotFound, Read, gather_blocks
from balcao.web.faults import PageFault, make_not_found
from balcao.web.lists import Filter, Listing, Tab
from balcao.web.service_requests.client import list_request_types
from balcao.web.visit import Crumb
from balcao.web.words import format_count

AREA = "requests"
HANDLE = "requests:handle"
_OPEN = "open"
_LATE, _IN_TIME = "atrasados", "no-prazo"
_OVERDUE = {_LATE: True, _IN_TIME: False}
# A request in this state waits for the citizen, so the queue does not open it as the next request.
_WAITS_FOR_CITIZEN = "needs_information"

_NUMBER = re.compile("PED-[0-9]{8,12}-[0-9]")

pages = Pages(AREA, "/pedidos")


@pages.get("", "Fila de pedidos", actions=[HANDLE], in_menu=True)
async def list_requests(visit: Visit) -> Response[Any]:
    """List the requests of the person's departments.

    Open requests are sorted by deadline, and closed requests by their latest change.
    """
    blocks: list[Block[Any]] = await gather_blocks(list_request_types(visit.api), read_department_names(visit.api))
    types, departments = blocks
    filters = [
        Filter("numero", "Número do pedido"),
        Filter("tipo", "Tipo", [(one.id, one.name) for one in types.value or ()]),
        Filter("orgao", "Órgão", list((departments.value or {}).items())),
        Filter("prazo", "Prazo", [(_LATE, "Atrasados"), (_IN_TIME, "No prazo")]),
    ]
    tabs = [Tab("", "Abertos"), *(Tab(state, name) for state, name in STATES.items())]
    listing = Listing(visit, ("pedido", "pedidos"), filters, tabs)
    values = listing.values
    names = {"listing": listing, "departments": departments.value or {}, **_name_states(visit)}
    if typed := values.get("numero"):
        number = typed.strip().upper()
        if _NUMBER.fullmatch(number):
            return await visit.redirect(visit.address("requests.show_request", number=number))
        return visit.render("requests/requests.html", **names)  # no request has this number
    found = await client.list_requests(
        visit.api,
        {
            "state": listing.tab or _OPEN,
            "type": values.get("tipo"),
            "department": values.get("orgao"),
            "overdue": _OVERDUE.get(values.get("prazo", "")),
            "page": listing.number,
            "per_page": listing.size,
        },
    )
    listing.rows, listing.total = found.data, found.pagination.total
    return visit.render("requests/requests.html", **names)


@pages.get("/{number}", "Pedido", actions=[HANDLE])
async def show_request(visit: Visit, number: str) -> Response[Any]:
    """Show a request with its answers, files and steps, and the steps that staff may take."""
    read = await _read_request(visit, number)
    (departments,) = await gather_blocks(read_department_names(visit.api))
    return visit.render(
        "requests/request.html",
        found=read.value,
        etag=read.etag,
        key=new_id(),
        moves=list_moves(read.value.state),
        departments=departments.value or {},
        address_of_file=lambda file: visit.address("requests.download_file", number=read.value.number, file=file),
        crumbs=[_queue_crumb(visit)],
        **_name_states(visit),
    )


@pages.get("/{number}/arquivos/{file}", "Arquivo do pedido", actions=[HANDLE])
async def download_file(visit: Visit, number: str, file: str) -> Response[Any]:
    """Return a file of a request as an attachment, never as a page of the panel."""
    found = await client.download_file(visit.api, number, file)
    headers = {CONTENT_DISPOSITION.name: found.headers["content-disposition"]}
    return Response(found.content, headers=headers, media_type=found.headers["content-type"])


@pages.form("/{number}/mudar/{slug}", "Mudar o pedido", actions=[HANDLE])
async def move_request(visit: Visit, number: str, slug: str) -> Response[Any]:
    """Show the effects of a step, and take the step.

    After a concurrent change, show what happened and keep the typed text.
    """
    move = MOVES.get(slug)
    if move is None:
        raise make_not_found()
    read = await _read_request(visit, number)
    form = StepForm(visit, move, etag=read.etag)
    if form.is_sent and await form.submit(
        lambda: client.add_step(visit.api, number, move.state, form.typed, etag=form.etag, key=form.key)
    ):
        return await _open_next(visit, read.value.number, move)
    if form.is_outdated:
        form.etag = read.etag
        form.refusal = "O pedido mudou enquanto você lia. Veja abaixo o último passo e confirme de novo."
    return visit.render(
        "requests/move.html",
        form=form,
        move=move,
        found=read.value,
        is_possible=move in list_moves(read.value.state),
        crumbs=[_queue_crumb(visit), _request_crumb(visit, read.value)],
        status=form.status,
        **_name_states(visit),
    )


async def _open_next(visit: Visit, number: str, move: Move) -> Response[Any]:
    """Open the next page after a step.

    After a decision, open the request with the nearest deadline that waits for staff, or the queue if there is none.
    After any other step, show the same request again.
    """
    done = f"O pedido {number} {move.done}"
    if not move.is_decision:
        return await visit.redirect(visit.address("requests.show_request", number=number), done)
    (waiting,) = await gather_blocks(client.list_requests(visit.api, {"state": _OPEN, "per_page": client.MOST}))
    rows = waiting.value.data if waiting.value else []
    following = next((one for one in rows if one.number != number and one.state != _WAITS_FOR_CITIZEN), None)
    if following is None:
        is_known = waiting.value is not None and waiting.value.pagination.total <= client.MOST
        end = f"{done} Nenhum outro espera por você." if is_known else done
        return await visit.redirect(visit.address("requests.list_requests"), end)
    address = visit.address("requests.show_request", number=following.number)
    return await visit.redirect(address, f"{done} Este é o próximo que espera.")


async def _read_request(visit: Visit, number: str) -> Read[HandledRequest]:
    """Return a request. Raises PageFault if it is not found.

    The service hides requests of other departments, so the error page also mentions this possibility.
    """
    try:
        return await client.read_request(visit.api, number)
    except NotFound as fault:
        text = "Confira o número. Ele não existe, ou o pedido é de um órgão que não é o seu."
        raise PageFault(404, "Pedido não encontrado", text, request_id=fault.request_id) from None


def _name_states(visit: Visit) -> Mapping[str, Any]:
    """Return the labels and functions that the queue's templates need."""
    now = visit.panel.words.now()
    return {
        "states": STATES,
        "tags": TAGS,
        "authors": AUTHORS,
        "name_step": name_step,
        "is_late": lambda one: is_late(one.state, one.deadline, now),
    }


def _queue_crumb(visit: Visit) -> Crumb:
    return Crumb("Fila de pedidos", visit.address("requests.list_requests"))


def _request_crumb(visit: Visit, found: HandledRequest) -> Crumb:
    return Crumb(found.number, visit.address("requests.show_request", number=found.number))


async def find_waiting(visit: Visit) -> Sequence[Item]:
    """Return one item for the late requests in the person's departments, and one for the other open requests."""
    counted = await asyncio.gather(
        *(client.list_requests(visit.api, {"overdue": is_overdue, "per_page": 1}) for is_overdue in (True, False))
    )
    late, in_time = (page.pagination.total for page in counted)
    items = []
    if late:
        items.append(
            Item(
                format_count(late, "pedido passou do prazo", "pedidos passaram do prazo"),
                visit.address("requests.list_requests", _query={"prazo": _LATE}),
                detail="Pedidos de cidadãos",
                urgency="urgent",
                action_label="Ver os atrasados",
                number=late,
            )
        )
    if in_time:
        items.append(
            Item(
                format_count(in_time, "pedido aberto no prazo", "pedidos abertos no prazo"),
                visit.address("requests.list_requests", _query={"prazo": _IN_TIME}),
                detail="Pedidos de cidadãos",
                action_label="Ver a fila",
                number=in_time,
            )
        )
    return items


async def find_request(visit: Visit, asked: str) -> Sequence[Item]:
    """Return the request that has the searched number."""
    number = asked.strip().upper()
    if not number.startswith("PED-"):
        return []
    try:
        found = (await client.read_request(visit.api, number)).value
    except NotFound:
        return []
    address = visit.address("requests.show_request", number=found.number)
    return [Item(found.number, address, detail=f"Pedido · {found.name} · {STATES[found.state]}", action_label="Abrir")]
