"""Work on many records: a chunk is one call of the service, and may be repeated.

    REJECTING = BulkKind("jobs.reject", "Reprovar", reject_some)   # listed in the area's declaration

    work = await visit.panel.bulk.begin(visit.session, REJECTING, "Auxiliar de cozinha", cpfs, {"job": job}, back)
    return await visit.redirect(visit.address("home.show_work", work=work))

It is done by the process that began it, with the person's own tokens. Where that process ends, or the session, the work
stands still until the person goes on with it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

import msgspec

from balcao.console.api import Api, ApiFault
from balcao.console.bulk import store
from balcao.console.bulk.store import StoredWork
from balcao.console.sealing import SealBroken, Sealer
from balcao.console.sessions.service import Session, SessionOver, Sessions
from balcao.core.database.pool import Database
from balcao.core.logs import log

CHUNK = 100
# Longer than a chunk may take: work that nothing was written of for so long has lost its process.
PATIENCE = timedelta(seconds=45)
KEPT = timedelta(days=1)


class Failure(msgspec.Struct, frozen=True):
    """A record that could not be done: how people know it, and why."""

    record: str
    label: str
    reason: str


# Does the deed on some records and returns those that could not be done. Raises ApiFault where none of them was.
Do = Callable[[Api, Mapping[str, str], Sequence[str]], Awaitable[Sequence[Failure]]]


@dataclass(frozen=True)
class BulkKind:
    """A deed that is done on many records; `label` is its verb, `name` is unique among all areas."""

    name: str
    label: str
    do: Do
    chunk: int = CHUNK


class Content(msgspec.Struct):
    """What is sealed: `records` wait for their turn, in their order; `given` is what the deed needs besides."""

    kind: str
    title: str
    back: str
    given: dict[str, str]
    records: list[str]
    failures: list[Failure]


@dataclass(frozen=True)
class Work:
    """Long work as a page shows it."""

    stored: StoredWork
    content: Content
    label: str

    @property
    def is_over(self) -> bool:
        return self.stored.ended_at is not None

    @property
    def worked_off(self) -> int:
        """Return how many records are over, done or not."""
        return self.stored.done + self.stored.failed


class Bulk:
    """The long work of all people, as far as this process does it."""

    def __init__(
        self,
        database: Database,
        sealer: Sealer,
        sessions: Sessions,
        kinds: Sequence[BulkKind],
        call_as: Callable[[str, str], Api],
    ) -> None:
        """`call_as` makes the caller of the services with an access token and a request's id."""
        self._database = database
        self._sealer = sealer
        self._sessions = sessions
        self._kinds = {kind.name: kind for kind in kinds}
        self._call_as = call_as
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(
        self,
        session: Session,
        kind: BulkKind,
        title: str,
        records: Sequence[str],
        given: Mapping[str, str],
        back: str,
    ) -> UUID:
        """Begin the work and return its id; `back` is the page that it came from."""
        work, subject = uuid4(), session.stored.subject_key
        content = Content(kind.name, title, back, dict(given), list(dict.fromkeys(records)), [])
        async with self._database.connection() as connection:
            await store.insert_work(connection, work, subject, self._seal(work, content), len(content.records))
        self._start(session, work, content, 0)
        return work

    async def find(self, session: Session, work: str) -> Work | None:
        """Return somebody's work; None for a number that is none of theirs."""
        with suppress(ValueError):
            number = UUID(work)
            async with self._database.connection() as connection:
                found = await store.find_work(connection, session.stored.subject_key, number, PATIENCE)
            return found and self._open(found)
        return None

    async def list_recent(self, session: Session) -> list[Work]:
        """Return the work of the last day, the newest first."""
        async with self._database.connection() as connection:
            found = await store.list_recent_work(connection, session.stored.subject_key, PATIENCE, KEPT)
        return [work for one in found if (work := self._open(one)) is not None]

    async def go_on(self, session: Session, work: Work) -> None:
        """Go on with work that stands still, by the tokens of this session."""
        number = work.stored.id
        async with self._database.connection() as connection:
            is_ours = await store.take_over(connection, number, session.stored.subject_key, PATIENCE)
        if is_ours:
            self._start(session, number, work.content, work.stored.done)

    async def repeat_failed(self, session: Session, work: Work) -> UUID:
        """Begin the same work on those records alone that could not be done."""
        content = work.content
        records = [failure.record for failure in content.failures]
        return await self.begin(session, self._kinds[content.kind], content.title, records, content.given, content.back)

    @property
    def is_busy(self) -> bool:
        """Return whether this process works on anything."""
        return bool(self._tasks)

    async def delete_old(self) -> None:
        """Delete what is older than a day."""
        async with self._database.connection() as connection:
            await store.delete_old_work(connection, KEPT)

    async def close(self) -> None:
        """Stop; a chunk under way is repeated when the person goes on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, session: Session, work: UUID, content: Content, done: int) -> None:
        task = asyncio.create_task(self._run(session, work, content, done))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, session: Session, work: UUID, content: Content, done: int) -> None:
        """Do one chunk after the other. What ends it before its end leaves it standing still."""
        try:
            while content.records:
                done += await self._do_chunk(session, work, content)
                async with self._database.connection() as connection:
                    sealed = self._seal(work, content)
                    await store.write_progress(connection, work, sealed, done, len(content.failures))
        except SessionOver:
            return
        except Exception as fault:
            log.error("console.bulk_stopped", kind=content.kind, exc_info=fault)

    async def _do_chunk(self, session: Session, work: UUID, content: Content) -> int:
        """Do the next records, and return how many of them were done."""
        kind = self._kinds[content.kind]
        chunk = content.records[: kind.chunk]
        tokens = await self._sessions.freshen(await self._sessions.find_again(session))
        try:
            failures = await kind.do(self._call_as(tokens.access_token, str(work)), content.given, chunk)
        except ApiFault as fault:
            failures = [Failure(record, "", fault.text) for record in chunk]
        content.records = content.records[len(chunk) :]
        content.failures = [*content.failures, *failures]
        return len(chunk) - len(failures)

    def _seal(self, work: UUID, content: Content) -> bytes:
        return self._sealer.seal(b"bulk" + work.bytes, msgspec.json.encode(content))

    def _open(self, stored: StoredWork) -> Work | None:
        try:
            content = msgspec.json.decode(self._sealer.open(b"bulk" + stored.id.bytes, stored.content), type=Content)
        except SealBroken:
            return None
        kind = self._kinds.get(content.kind)
        return None if kind is None else Work(stored, content, kind.label)
