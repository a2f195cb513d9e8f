"""A decision on many candidates, from the choice to the result.

Privacy: the choice is stored sealed, so that no page and no address contains a CPF.

Parts: a process carries out the decision in parts and stores its progress after each part. Each part is one call of the
service, and it can be repeated.

Lease: if the process dies, any process continues the decision when the person opens it again. It cannot continue
earlier, because the calls need the token of that person's session.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Literal
from uuid import UUID, uuid4

import msgspec

from balcao.core.logs import log
from balcao.core.values.ids import new_id
from balcao.panel.jobs import candidates_client
from balcao.panel.jobs.bulk import store
from balcao.panel.jobs.bulk.store import StoredDecision
from balcao.panel.jobs.candidates_client import BulkResult
from balcao.web.api import ApiFault, Conflict, RateLimited, ServiceUnavailable
from balcao.web.provider import ProviderAway
from balcao.web.sealing import InvalidSeal
from balcao.web.sessions.session import Session, SessionOver

if TYPE_CHECKING:
    from balcao.panel.application import Panel
    from balcao.panel.visit import Visit

CHUNK = 100
MOST_PEOPLE = 1_000
# The lease is longer than a single slow call to the service. A part with retries may take longer than the lease.
# Another process may then repeat the part, and `write_progress` rejects the first process because its generation is
# old.
LEASE = timedelta(seconds=60)
# Results are retained for a week, so that the person can look at them again.
RETENTION_PERIOD = timedelta(days=7)
# Wait this many seconds before each retry while the service is down.
PAUSES: tuple[float, ...] = (1, 2, 5, 10, 20)


class Person(msgspec.Struct, frozen=True):
    """A chosen candidate, with the application's id and step at the time of the choice."""

    cpf: str
    name: str
    step: str | None = None
    application: str = ""


class Failed(msgspec.Struct, frozen=True):
    """A candidate whose change was refused, with the error code and the application's status at that time."""

    person: Person
    code: str
    status: str | None = None


class Work(msgspec.Struct):
    """A decision and its candidates. `position` is the number of people that have been processed.

    `kind` indicates whether `value` is a new status or a new step. If the step is None, the people are removed from
    their step.
    """

    job: str
    title: str
    kind: Literal["status", "step"]
    value: str | None
    label: str
    people: list[Person]
    position: int = 0
    failures: list[Failed] = []
    trouble: str = ""


@dataclass(frozen=True)
class Decision:
    """A stored decision with its decrypted content."""

    stored: StoredDecision
    work: Work

    @property
    def id(self) -> UUID:
        return self.stored.id

    @property
    def state(self) -> str:
        return self.stored.state

    @property
    def done(self) -> int:
        return self.stored.done

    @property
    def failed(self) -> int:
        return self.stored.failed

    @property
    def total(self) -> int:
        return self.stored.total


async def choose(visit: "Visit", work: Work) -> UUID:
    """Store the chosen people until the person confirms the decision. Return the decision's id."""
    subject, id_ = visit.session.stored.subject_key, uuid4()
    # Sort by step, because `_next_part` puts only people of one step into a part that sets a new step.
    ordered = sorted(work.people, key=lambda person: person.step or "")
    content = _seal(visit.panel, id_, msgspec.structs.replace(work, people=ordered))
    async with visit.panel.database.connection() as connection:
        await store.delete_old_decisions(connection, RETENTION_PERIOD)
        await store.insert_decision(connection, id_, subject, content, len(ordered))
    return id_


async def find(visit: "Visit", id_: str) -> Decision | None:
    """Return one of the person's decisions, or None. If the process that carried it out has died, continue it."""
    try:
        wanted = UUID(id_)
    except ValueError:
        return None
    async with visit.panel.database.connection() as connection:
        stored = await store.find_decision(connection, wanted, visit.session.stored.subject_key)
    return None if stored is None else _restore_decision(visit, stored)


async def list_unseen(visit: "Visit") -> list[Decision]:
    """Return the person's running decisions, and ended decisions that the person has not seen.

    If the process that carried out a running decision has died, continue the decision.
    """
    async with visit.panel.database.connection() as connection:
        found = await store.list_unseen_decisions(connection, visit.session.stored.subject_key, RETENTION_PERIOD)
    return [decision for each in found if (decision := _restore_decision(visit, each)) is not None]


async def start(visit: "Visit", id_: UUID) -> None:
    """Start a confirmed decision, or continue one that was paused or stopped."""
    async with visit.panel.database.connection() as connection:
        is_started = await store.start_decision(connection, id_, visit.session.stored.subject_key)
    if is_started:
        _begin(visit, id_)


async def stop(visit: "Visit", id_: UUID) -> None:
    """Request that the decision stop after the current part."""
    async with visit.panel.database.connection() as connection:
        await store.ask_to_stop(connection, id_, visit.session.stored.subject_key)


async def mark_seen(visit: "Visit", id_: UUID) -> None:
    """Record that the person has seen the decision's result."""
    async with visit.panel.database.connection() as connection:
        await store.mark_seen(connection, id_, visit.session.stored.subject_key)


def _restore_decision(visit: "Visit", stored: StoredDecision) -> Decision | None:
    if stored.state == "running" and stored.is_idle:
        _begin(visit, stored.id)
    with suppress(InvalidSeal):  # encrypted with a key that has since been removed
        return Decision(stored, _open(visit.panel, stored.id, stored.content))
    return None


def _begin(visit: "Visit", id_: UUID) -> None:
    visit.panel.background.start(_run(visit.panel, visit.session, visit.request.peer, id_))


async def _run(panel: "Panel", session: Session, peer: str, id_: UUID) -> None:
    """Carry out a decision if this process gets its lease."""
    async with panel.database.connection() as connection:
        generation = await store.lease_decision(connection, id_, LEASE)
        stored = await store.find_decision(connection, id_, session.stored.subject_key)
    if generation is None or stored is None:
        return
    run = _Run(panel, session, peer, id_, generation, _open(panel, id_, stored.content))
    try:
        state = await run.carry_out()
    except SessionOver:
        state, run.work.trouble = "paused", "A sessão terminou no meio. Continue daqui: nada se perdeu."
    except (ApiFault, ProviderAway) as fault:
        state, run.work.trouble = "paused", fault.text if isinstance(fault, ApiFault) else fault.message
    except Exception as fault:
        log.error("panel.bulk_failed", code=type(fault).__name__)
        state, run.work.trouble = "paused", "Algo deu errado. Continue daqui: o que estava feito não se repete."
    if state:
        async with panel.database.connection() as connection:
            await store.end_run(connection, id_, generation, _seal(panel, id_, run.work), state)


class _Run:
    """The work of one process on a decision."""

    def __init__(self, panel: "Panel", session: Session, peer: str, id_: UUID, generation: int, work: Work) -> None:
        self._panel = panel
        self._session = session
        self._peer = peer
        self._id = id_
        self._generation = generation
        self.work = work

    async def carry_out(self) -> str:
        """Process the remaining parts and return the final state. Return "" if the lease was lost."""
        work = self.work
        work.trouble = ""
        while work.position < len(work.people):
            part = self._next_part()
            work.failures += await self._change(part)
            work.position += len(part)
            done = work.position - len(work.failures)
            async with self._panel.database.connection() as connection:
                is_stopping = await store.write_progress(
                    connection,
                    self._id,
                    self._generation,
                    _seal(self._panel, self._id, work),
                    done,
                    len(work.failures),
                    LEASE,
                )
            if is_stopping is None:
                return ""
            if is_stopping and work.position < len(work.people):
                return "stopped"
        return "done"

    def _next_part(self) -> Sequence[Person]:
        """Return the people in the next part.

        If the decision sets a new step, they are all on the same step, because the service moves only such groups.
        """
        rest = self.work.people[self.work.position : self.work.position + CHUNK]
        if self.work.kind == "status":
            return rest
        return list(next(groupby(rest, key=lambda person: person.step))[1])

    async def _change(self, part: Sequence[Person]) -> list[Failed]:
        """Change the applications of these people and return the failures.

        A conflict can mean that some people have left the step. In that case, split the part and process each half
        separately.
        """
        try:
            result = await self._call(part)
        except Conflict as fault:
            if len(part) == 1:
                return [Failed(part[0], fault.code)]
            middle = len(part) // 2
            return [*await self._change(part[:middle]), *await self._change(part[middle:])]
        by_cpf = {person.cpf: person for person in part}
        return [Failed(by_cpf[each.cpf], each.code, each.status) for each in result.failures if each.cpf in by_cpf]

    async def _call(self, part: Sequence[Person]) -> BulkResult:
        """Call the service. Retry while it is down or rate-limits the call. Repeating the call is safe.

        Read the session before each call: other requests may have refreshed its tokens, or the person may have logged
        out.
        """
        cpfs = [person.cpf for person in part]
        for pause in (*PAUSES, None):
            self._session = await self._panel.sessions.find_again(self._session, is_use=False)
            tokens = await self._panel.sessions.refresh_tokens(self._session)
            api = self._panel.call_as(tokens.access_token, new_id(), self._peer)
            try:
                if self.work.kind == "status":
                    return await candidates_client.set_status_of_many(api, self.work.job, cpfs, self.work.value or "")
                return await candidates_client.set_step_of_many(api, self.work.job, cpfs, self.work.value)
            except (ServiceUnavailable, RateLimited) as fault:
                if pause is None:
                    raise
                await asyncio.sleep(max(pause, getattr(fault, "retry_after", 0)))
        raise AssertionError  # the last attempt returns or raises an error


def _seal(panel: "Panel", id_: UUID, work: Work) -> bytes:
    return panel.sealer.seal(b"bulk" + id_.bytes, msgspec.json.encode(work))


def _open(panel: "Panel", id_: UUID, content: bytes) -> Work:
    return msgspec.json.decode(panel.sealer.open(b"bulk" + id_.bytes, content), type=Work)
