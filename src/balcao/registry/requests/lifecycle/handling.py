"""List, read and move the requests to the departments for which a member of staff works (rules: registry 4.20)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid
from balcao.core.values.cpf import Cpf
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.flags import parse_flag_parameter
from balcao.core.values.page import Page
from balcao.core.values.text import clean_optional, clean_parameter
from balcao.registry.filters import CODE_LENGTH
from balcao.registry.person.files import service as files
from balcao.registry.person.files.paths import unknown_file
from balcao.registry.person.files.service import Content
from balcao.registry.requests.lifecycle import numbers, store, views
from balcao.registry.requests.lifecycle.schemas import (
    TEXT_LENGTH,
    HandledRequest,
    RequestSummaries,
    StepBody,
)
from balcao.registry.requests.lifecycle.service import FIELDS, add_step, find_kind
from balcao.registry.requests.lifecycle.states import CLOSED, NEED_TEXT, Author, State, may_move
from balcao.registry.requests.lifecycle.store import RequestFilters, StoredRequest

EVERYWHERE = "requests:any_department"
OPEN = "open"
_OPEN_STATES = [state for state in State if state not in CLOSED]
TYPE_LENGTH = 50


async def list_requests(call: Call, query: Mapping[str, str], page: Page) -> RequestSummaries:
    """Return a page of the requests that the caller may handle, without the answers and the citizens' identities.

    Open requests are sorted by deadline, and closed ones by their last change. Raises Invalid if a filter is not valid.
    """
    state = query.get("state", OPEN)
    if state not in {OPEN, *State}:
        raise Invalid(f"O parâmetro `state` deve ser `{OPEN}` ou um de: {', '.join(State)}.", code="state-invalid")
    handled = await _list_departments(call)
    filters = RequestFilters(
        _OPEN_STATES if state == OPEN else [state],
        clean_parameter(query, "type", longest=TYPE_LENGTH),
        clean_parameter(query, "department", longest=CODE_LENGTH),
        handled,
        parse_flag_parameter(query, "overdue"),
    )
    read = store.list_closed_requests if state in CLOSED else store.list_open_requests
    async with call.platform.database.connection() as connection:
        found, total = await read(connection, filters, page)
    return RequestSummaries(found, page.of(total))


async def read_handled_request(call: Call, number: str) -> HandledRequest:
    """Return a request to one of the caller's departments.

    Raises NotFound for an unknown number or another department.
    """
    handled = await _list_departments(call)
    async with call.platform.database.transaction(isolation=store.ONE_SNAPSHOT) as connection:
        row = _require_handled(await store.select_request(connection, number), handled)
        _explain(call, row)
        await call.platform.audit.record(connection, call, "read", subject=_subject(row), fields=FIELDS)
        return await _view(connection, row)


async def read_request_file(call: Call, number: str, file_id: UUID) -> Content:
    """Return a file from a request to one of the caller's departments.

    Raises the same errors as `read_handled_request`, and NotFound also if the request has no such file. Raises
    StorageDown if the file cannot be read.
    """
    handled = await _list_departments(call)
    async with call.platform.database.connection() as connection:
        row = _require_handled(await store.select_request(connection, number), handled)
        found = views.list_request_files(row, await find_kind(connection, row), await store.list_steps(connection, row))
    owner = _subject(row)
    if owner is None or file_id not in found:
        raise unknown_file()
    _explain(call, row)
    return await files.read_content(call, owner, file_id)


async def add_staff_step(call: Call, number: str, body: StepBody) -> bytes:
    """Change a request's state, send the citizen a message, or both, and return the request as JSON.

    Raises Invalid if `state` and `text` are both missing, or if the state requires `text`. Raises NotFound for an
    unknown number or another department. Raises Conflict if the request is closed or cannot move to this state, and
    PreconditionFailed if `If-Match` does not match.
    """
    state, text = body.state, clean_optional("text", body.text, longest=TEXT_LENGTH, one_line=False)
    if state is None and text is None:
        raise Invalid("Envie `state`, `text` ou os dois.", code="step-empty")
    if state in NEED_TEXT and text is None:
        raise Invalid("Escreva em `text` o que o cidadão deve saber.", code="step-text-missing")
    handled = await _list_departments(call)
    async with call.platform.database.transaction() as connection:
        # This read locks nothing: a caller with the same key waits for the key first, and then for the request.
        known = _require_handled(await store.select_request(connection, number), handled)

        async def make() -> HandledRequest:
            row = _require_handled(await store.lock_request(connection, number), handled)
            if call.if_match is not None:
                require_match(call.if_match, etag_of(msgspec.json.encode(await _view(connection, row))))
            _require_possible(row.state, state)
            at = await store.read_clock(connection)
            await add_step(connection, row, state, text, Author.STAFF, at)
            _explain(call, row)
            await call.platform.audit.record(connection, call, "update", subject=_subject(row), fields=FIELDS)
            changed = await store.lock_request(connection, number)
            assert changed is not None  # it is locked
            return await _view(connection, changed)

        return await run_once(connection, call, _subject(known), [number, body], make)


def _require_possible(state: State, target: State | None) -> None:
    if state in CLOSED:
        raise Conflict("Este pedido está encerrado.", code="request-closed")
    if target is not None and not may_move(state, target, Author.STAFF):
        raise Conflict("O pedido não pode passar da situação atual para esta.", code="request-step")


async def _list_departments(call: Call) -> Sequence[str] | None:
    """Return the departments whose requests the caller may handle, or None for all departments."""
    if call.holds(EVERYWHERE):
        return None
    if call.actor_cpf is None:
        return []
    return await store.list_handled_departments(call.platform.database, call.actor_cpf)


def _require_handled(row: StoredRequest | None, handled: Sequence[str] | None) -> StoredRequest:
    if row is None or (handled is not None and not set(handled) & set(row.departments)):
        raise numbers.make_unknown()
    return row


def _explain(call: Call, row: StoredRequest) -> None:
    """Name the request as the reason for the access, unless the caller has given a reason. The citizen reads it."""
    if call.reason is None:
        call.explain_to_person(f"Atendimento do pedido {row.number}")


def _subject(row: StoredRequest) -> Cpf | None:
    return Cpf(row.owner) if row.owner else None


async def _view(connection: Connection, row: StoredRequest) -> HandledRequest:
    return views.to_handled(row, await find_kind(connection, row), await store.list_steps(connection, row))
