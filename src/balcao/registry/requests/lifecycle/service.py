"""Let citizens make, read, answer, reopen, rate and follow requests (rules: registry 4.20)."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, TooMany
from balcao.core.jobs.worker import enqueue
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id, parse_uuid
from balcao.core.values.text import clean_optional, clean_text
from balcao.registry.person.files import service as files
from balcao.registry.person.files.store import lock_files, release_files
from balcao.registry.requests.lifecycle import numbers, store, views
from balcao.registry.requests.lifecycle.emails import enqueue_email
from balcao.registry.requests.lifecycle.schemas import (
    COMMENT_LENGTH,
    TEXT_LENGTH,
    AnswerBody,
    FollowBody,
    FollowedRequest,
    NewRequest,
    RatingBody,
    Receipt,
    RequestBody,
    ServiceRequest,
    TextBody,
)
from balcao.registry.requests.lifecycle.states import CLOSED, REOPENING, Author, State, may_move
from balcao.registry.requests.lifecycle.store import StoredRequest
from balcao.registry.requests.types import service as types
from balcao.registry.requests.types.kinds import MOST_FILES, list_files, make_too_many_files, parse_answers
from balcao.registry.requests.types.schemas import RequestType
from balcao.registry.requests.types.store import select_type_version

FIELDS = ["requests"]
FIRST_SEND = timedelta(seconds=2)  # the same as for a push of own changes (rules: registry 4.5)
FILE_HOLDER = "request"
MOST_OPEN = 20
MOST_STARS = 5
# Requests made without a login are limited for each address, and in total for each day. Look-ups by number and code are
# limited for each address. A portal's address is exempt from the limits for addresses, because the portal itself limits
# the addresses of its users.
BY_ADDRESS, BY_DAY = "registry.requests_by_address", "registry.requests_without_login"
FOLLOWED = "registry.requests_followed_by_address"
LIMITS = {BY_ADDRESS: "10/hour", BY_DAY: "2000/day", FOLLOWED: "30/minute"}


async def open_request(call: Call, cpf: Cpf, body: RequestBody) -> bytes:
    """Make a citizen's request, and return it with its code as JSON.

    Raises Invalid for an unknown type or version and for a wrong answer. Raises Conflict if the type has a newer
    version or is inactive, and if the citizen has too many open requests.
    """
    async with call.platform.database.transaction() as connection:

        async def make() -> NewRequest:
            await _require_below_limit(connection, cpf)
            row, kind, code = await _insert(connection, call, cpf, body)
            await call.platform.audit.record(connection, call, "create", subject=cpf, fields=FIELDS)
            made = views.to_request(row, kind, await store.list_steps(connection, row))
            return NewRequest(**msgspec.structs.asdict(made), code=code)

        return await run_once(connection, call, cpf, [cpf.digits, body], make, is_secret=True)


async def open_anonymous_request(call: Call, peer: str, body: RequestBody) -> bytes:
    """Make a request without a login, and return its receipt as JSON.

    `peer` is the caller's network address. Raises Invalid and Conflict as `open_request` does, and TooMany after too
    many requests from this address, or from all callers together in one day.
    """
    async with call.platform.database.transaction() as connection:

        async def make() -> Receipt:
            row, _, code = await _insert(connection, call, None, body)
            if peer not in call.platform.settings.search_portals:
                await _spend(call, BY_ADDRESS, peer)
            await _spend(call, BY_DAY)
            await call.platform.audit.record(connection, call, "create", fields=FIELDS)
            return Receipt(
                number=row.number, code=code, state=row.state, created_at=row.created_at, deadline=row.deadline
            )

        return await run_once(connection, call, None, [body], make, is_secret=True)


async def read_request(call: Call, cpf: Cpf, number: str) -> ServiceRequest:
    """Return one of the citizen's requests. Raises NotFound for an unknown number or another person's request."""
    async with call.platform.database.transaction(isolation=store.ONE_SNAPSHOT) as connection:
        row = await store.select_own_request(connection, cpf, number)
        if row is None:
            raise numbers.make_unknown()
        call.require_reason()
        if not call.reads_unrecorded:
            await call.platform.audit.record(connection, call, "read", subject=cpf, fields=FIELDS)
        return views.to_request(row, await find_kind(connection, row), await store.list_steps(connection, row))


async def answer_question(call: Call, cpf: Cpf, number: str, body: AnswerBody) -> bytes:
    """Answer the city's question, and return the request as JSON.

    Raises Invalid for a wrong file, and Conflict if the city has asked nothing.
    """
    text = clean_text("text", body.text, longest=TEXT_LENGTH, one_line=False)
    sent = _parse_files(body.files)

    async def act(connection: Connection, row: StoredRequest, at: datetime) -> None:
        if row.state is not State.NEEDS_INFORMATION:
            raise Conflict("A prefeitura não fez uma pergunta sobre este pedido.", code="request-not-asked")
        if sent:
            await _add_files(connection, cpf, row, sent)
        await add_step(connection, row, State.IN_PROGRESS, text, Author.CITIZEN, at, files=sent)

    return await _change(call, cpf, number, ["answer", text, *map(str, sent)], act, uses=sent)


async def reopen_request(call: Call, cpf: Cpf, number: str, body: TextBody) -> bytes:
    """Reopen a closed request, and return it as JSON.

    Raises Conflict if the request is open or was closed too long ago, or if the citizen has too many open requests.
    """
    text = clean_text("text", body.text, longest=TEXT_LENGTH, one_line=False)

    async def act(connection: Connection, row: StoredRequest, at: datetime) -> None:
        if not may_move(row.state, State.REOPENED, Author.CITIZEN) or row.closed_at is None:
            raise Conflict("Este pedido não está encerrado.", code="service-request-open")
        if at > row.closed_at + REOPENING:
            text_ = f"Um pedido só pode ser reaberto até {REOPENING.days} dias depois de encerrado: faça outro pedido."
            raise Conflict(text_, code="request-reopening-late")
        await _require_below_limit(connection, cpf)
        await add_step(connection, row, State.REOPENED, text, Author.CITIZEN, at)

    return await _change(call, cpf, number, ["reopening", text], act)


async def rate_request(call: Call, cpf: Cpf, number: str, body: RatingBody) -> bytes:
    """Rate a closed request once, and return it as JSON.

    Raises Invalid for a wrong number of stars, and Conflict if the request is open or was already rated.
    """
    if not 1 <= body.stars <= MOST_STARS:
        raise Invalid(f"O campo `stars` deve ser de 1 a {MOST_STARS}.", code="stars-invalid")
    comment = clean_optional("comment", body.comment, longest=COMMENT_LENGTH, one_line=False)

    async def act(connection: Connection, row: StoredRequest, at: datetime) -> None:
        if row.state not in CLOSED:
            raise Conflict("Este pedido ainda não está encerrado.", code="service-request-open")
        if row.stars is not None:
            raise Conflict("Este pedido já tem uma nota.", code="request-rated")
        await store.rate_request(connection, row, body.stars, comment, at)

    return await _change(call, cpf, number, ["rating", body.stars, comment], act)


async def follow_request(call: Call, peer: str, body: FollowBody) -> FollowedRequest:
    """Return the state and the dates of a request. `peer` is the caller's network address.

    An unknown number and a wrong code both raise NotFound. Raises TooMany after too many calls from this address.
    """
    if peer not in call.platform.settings.search_portals:
        await call.platform.limits.spend(_find_rate(call, FOLLOWED), FOLLOWED, peer)
    number = numbers.parse_number(body.number)
    async with call.platform.database.transaction(isolation=store.ONE_SNAPSHOT) as connection:
        row = None if number is None else await store.select_request(connection, number)
        stored = row.code_hash if row is not None else None
        is_right = numbers.matches_code(call.platform.audit.keys, number or "", body.code, stored)
        if row is None or not is_right:
            raise numbers.make_unknown()
        return views.to_followed(row, await store.list_steps(connection, row))


async def list_all_requests(connection: Connection, cpf: Cpf) -> list[ServiceRequest]:
    """Return all the person's requests, oldest first, for their data export."""
    return [
        views.to_request(row, await find_kind(connection, row), await store.list_steps(connection, row))
        for row in await store.list_own_requests(connection, cpf)
    ]


async def delete_old_requests(connection: Connection) -> int:
    """Delete requests that were closed over five years ago, and release their files.

    Return how many requests were deleted.
    """
    for old in await store.list_old_requests(connection):
        await release_files(connection, old.cpf, FILE_HOLDER, old.id)
    return await store.delete_old_requests(connection)


async def add_step(
    connection: Connection,
    row: StoredRequest,
    state: State | None,
    text: str | None,
    author: Author,
    at: datetime,
    *,
    files: Sequence[UUID] = (),
) -> None:
    """Add a step to a locked request. `files` are those of a citizen's answer.

    Jobs send steps by citizens and staff to the CRM, and send the citizen an e-mail about a step by the city.
    """
    step = await store.add_step(connection, row, state, text, author, at, files)
    await enqueue_email(connection, row, step, author)
    if author in {Author.CITIZEN, Author.STAFF} and row.erased_at is None:
        await enqueue(connection, store.SEND_JOB, {"request": row.id}, delay=FIRST_SEND)


async def find_kind(connection: Connection, row: StoredRequest) -> RequestType:
    """Return the version of the type to which the request refers. Versions are never deleted."""
    kind = await select_type_version(connection, row.type, row.version)
    assert kind is not None  # the request refers to it, so it exists
    return kind


async def _change(
    call: Call,
    cpf: Cpf,
    number: str,
    parts: list[Any],
    act: Callable[[Connection, StoredRequest, datetime], Awaitable[None]],
    *,
    uses: Sequence[UUID] = (),
) -> bytes:
    """Lock one of the citizen's requests, change it, and return it as JSON. Raises NotFound if it is unknown.

    `uses` are the files to which the request will refer. Lock order: the person, then files, then the request, as in an
    erasure.
    """
    async with call.platform.database.transaction() as connection:

        async def make() -> ServiceRequest:
            await store.lock_requests(connection, cpf)
            if uses:
                await lock_files(connection, cpf, uses)
            row = await store.lock_own_request(connection, cpf, number)
            if row is None:
                raise numbers.make_unknown()
            await act(connection, row, await store.read_clock(connection))
            await call.platform.audit.record(connection, call, "update", subject=cpf, fields=FIELDS)
            changed = await store.select_own_request(connection, cpf, number)
            assert changed is not None  # it is locked
            steps = await store.list_steps(connection, changed)
            return views.to_request(changed, await find_kind(connection, changed), steps)

        return await run_once(connection, call, cpf, [cpf.digits, number, *parts], make)


def _parse_files(given: Sequence[str]) -> list[UUID]:
    """Return the ids of an answer's files. Raises Invalid if there are too many, or one is malformed or repeated."""
    if len(given) > MOST_FILES:
        raise make_too_many_files()
    found = [id_ for id_ in map(parse_uuid, given) if id_ is not None]
    if len(set(found)) < len(given):
        raise _wrong_files()
    return found


def _wrong_files() -> Invalid:
    text = "O campo `files` deve ter ids de arquivos enviados, cada um só uma vez no pedido."
    return Invalid(text, code="answer-files-invalid")


async def _add_files(connection: Connection, cpf: Cpf, row: StoredRequest, sent: Sequence[UUID]) -> None:
    """Let a locked request refer to further files of the citizen.

    Raises Invalid if the request already has one of the files or would have too many, or if a file is not the
    citizen's.
    """
    held = views.list_request_files(row, await find_kind(connection, row), await store.list_steps(connection, row))
    if held & set(sent):
        raise _wrong_files()
    if len(held) + len(sent) > MOST_FILES:
        raise make_too_many_files()
    await files.use_files(connection, cpf, "files", sent, FILE_HOLDER, UUID(row.id))


async def _require_below_limit(connection: Connection, cpf: Cpf) -> None:
    await store.lock_requests(connection, cpf)
    if await store.count_open_requests(connection, cpf) >= MOST_OPEN:
        text = f"Já há {MOST_OPEN} pedidos abertos: espere que um seja encerrado."
        raise Conflict(text, code="request-limit")


async def _insert(
    connection: Connection, call: Call, cpf: Cpf | None, body: RequestBody
) -> tuple[StoredRequest, RequestType, str]:
    """Store a request with its first step and the job that sends it. Return it with its type and its code."""
    kind = await types.hold_current_version(connection, body.type, body.version, anonymous=cpf is None)
    at = await store.read_clock(connection)
    today = at.astimezone(call.zone).date()
    answers = parse_answers(kind.fields, body.answers, today, anonymous=cpf is None)
    number = numbers.make_number(await store.draw_request_number(connection))
    code = numbers.make_code()
    given = views.to_answers(kind, answers)
    row = StoredRequest(
        id=new_id(),
        owner=cpf.digits if cpf else "",
        number=number,
        type=kind.id,
        version=kind.version,
        answers=answers,
        description=next((answer.text for answer in given if answer.kind == "text"), None),
        place=next((answer.text for answer in given if answer.kind == "place"), None),
        departments=kind.departments,
        channel=call.platform.settings.crm_channel,
        state=State.RECEIVED,
        code_hash=numbers.hash_code(call.platform.audit.key, number, code),
        created_at=at,
        updated_at=at,
        deadline=at + timedelta(days=kind.deadline_days),
        closed_at=None,
        erased_at=None,
        protocol=None,
        crm_status=None,
        crm_message=None,
        crm_changed_at=None,
        last_step=0,
        sent_step=0,
        stars=None,
        comment=None,
        rated_at=None,
    )
    await store.insert_request(connection, row)
    if cpf is not None:
        for field, ids in list_files(kind.fields, answers).items():
            await files.use_files(connection, cpf, field, ids, FILE_HOLDER, UUID(row.id))
    await add_step(connection, row, State.RECEIVED, None, Author.CITIZEN, at)
    return row, kind, code


async def _spend(call: Call, limit: str, *whose: str) -> None:
    """Count a request made without a login. Raises TooMany above the limit."""
    try:
        await call.platform.limits.spend(_find_rate(call, limit), limit, *whose)
    except TooMany as full:
        text = "Já foram feitos pedidos demais sem login: entre na sua conta ou tente mais tarde."
        raise TooMany(text, code="requests-without-login", retry_after=full.retry_after) from None


def _find_rate(call: Call, limit: str) -> str:
    """Return the rate that applies to a limit, because an operator may have changed the configured one."""
    platform = call.platform
    return platform.live.rate(limit, platform.settings.declared_rate(LIMITS[limit]))
