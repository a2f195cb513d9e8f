"""A session from login to its end: found by its cookie, kept fresh, ended by the person, the provider or time."""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid4

import msgspec

from balcao.core.access.caller import session_key, subject_key
from balcao.core.access.sessions import SessionEnd
from balcao.core.database.pool import Connection, Database
from balcao.web.provider import GrantRefused, Login, Provider, ProviderAway, Tokens
from balcao.web.sealing import SealBroken, Sealer
from balcao.web.sessions import store
from balcao.web.sessions.store import LivingSession, StoredDraft, StoredSession

# An access token is renewed when it has less than this left: longer than any page takes.
FRESH_SECONDS = 45.0
# How long one process may take to refresh before another one may try.
LEASE = timedelta(seconds=15)
_LOOK_AGAIN_SECONDS = 0.1
# Use is written down at most once in this time, not at every click.
_TOUCH_SECONDS = 60.0
# An ended session is known for a day: what somebody typed when it was over is kept for the same person.
KEPT = timedelta(hours=24)
MOST_DRAFTS = 20
# Of one person: the largest form of the panel (16 MiB), with its names.
MOST_DRAFT_BYTES = 18 * 1_048_576
# Of the hash of a cookie, in hexadecimal: enough to tell apart what one person has.
_NAME_DIGITS = 16


class Identity(msgspec.Struct, frozen=True):
    """Who is logged in; `form_secret` proves that a form came from a page of this session."""

    issuer: str
    subject: str
    name: str
    form_secret: str


class Counts(msgspec.Struct, frozen=True):
    """How much waits for the person at each page of the navigation, as read with the rights of this digest."""

    rights: str
    numbers: dict[str, int]


class Draft(msgspec.Struct, frozen=True):
    """What somebody had typed: where the form was, what it is called, and its fields."""

    path: str
    title: str
    fields: dict[str, list[str]]


@dataclass(frozen=True)
class Session:
    """A session as one request sees it; of one that has ended there are no tokens.

    `actions` are those that the person held at the last page, None before the first page.
    """

    stored: StoredSession
    identity: Identity
    tokens: Tokens | None
    actions: list[str] | None

    @property
    def is_living(self) -> bool:
        """Return whether pages may be shown by it."""
        return self.stored.is_living and self.tokens is not None

    def might_open(self, actions: Sequence[str]) -> bool:
        """Return whether the person held one of these actions at their last page; true where none is named."""
        return not actions or not frozenset(actions).isdisjoint(self.actions or ())

    def may_send(self, actions: Sequence[str]) -> bool:
        """Return whether a large form is read of a page with these actions."""
        if self.is_living and self.actions is None:
            return True
        return self.stored.is_recent and self.might_open(actions)


class OwnSession(NamedTuple):
    """A session as its person sees it; `name` tells it from their others, and opens nothing."""

    name: str
    begun_at: datetime
    used_at: datetime
    is_present: bool


class SessionOver(Exception):
    """The session ended while it was used: at the provider, or by time."""


class Sessions:
    """The sessions of all processes: rows of one table, which say nothing to who lacks the key."""

    def __init__(
        self, database: Database, sealer: Sealer, provider: Provider, *, idle: timedelta, longest: timedelta
    ) -> None:
        self._database = database
        self._sealer = sealer
        self._provider = provider
        self._idle = idle
        self._longest = longest
        self._refreshing: dict[bytes, asyncio.Task[Tokens]] = {}

    async def begin(self, login: Login, form_secret: str | None = None) -> str:
        """Begin a session under a new name, and return the cookie that proves it.

        `form_secret` is that of a session which the new one replaces, so that forms in its tabs are still accepted.
        """
        cookie = secrets.token_urlsafe(32)
        key = hash_cookie(cookie)
        identity = Identity(login.issuer, login.subject, login.name, form_secret or secrets.token_urlsafe(32))
        async with self._database.connection() as connection:
            await store.insert_session(
                connection,
                key,
                subject_key(login.issuer, login.subject),
                session_key(login.issuer, login.session) if login.session else None,
                self._sealer.seal(b"identity" + key, msgspec.json.encode(identity)),
                self._seal_tokens(key, login.tokens),
            )
        return cookie

    async def find(self, cookie: str, *, is_use: bool = True) -> Session | None:
        """Return the session of a cookie, also one that has ended; None for a cookie that is none of ours.

        What a page asks by itself is no use: it would keep the session of somebody who went away.
        """
        if not cookie:
            return None
        key = hash_cookie(cookie)
        async with self._database.connection() as connection:
            stored = await store.find_session(connection, key, self._idle, self._longest, KEPT)
            if is_use and stored is not None and stored.is_living and stored.unused_seconds > _TOUCH_SECONDS:
                await store.touch_session(connection, key)
        return None if stored is None else self._open(stored)

    def _open(self, stored: StoredSession) -> Session | None:
        try:
            opened = self._sealer.open(b"identity" + stored.key, stored.identity)
            identity = msgspec.json.decode(opened, type=Identity)
            tokens = self._open_tokens(stored) if stored.tokens is not None else None
            sealed = stored.actions
            actions = b"null" if sealed is None else self._sealer.open(b"actions" + stored.key, sealed)
        except SealBroken:  # by a key that is not ours any more
            return None
        return Session(stored, identity, tokens, msgspec.json.decode(actions, type=list[str] | None))

    async def find_again(self, session: Session, *, is_use: bool = True) -> Session:
        """Return the session as it is now, for work that lasts longer than a request. Raises SessionOver."""
        async with self._database.connection() as connection:
            stored = await store.find_session(connection, session.stored.key, self._idle, self._longest, KEPT)
            if is_use and stored is not None and stored.is_living:
                await store.touch_session(connection, session.stored.key)  # the person waits for it
        found = None if stored is None else self._open(stored)
        if found is None or not found.is_living:
            raise SessionOver
        return found

    async def freshen(self, session: Session) -> Tokens:
        """Return tokens with some time left. Raises SessionOver, and ProviderAway once the present ones are over."""
        tokens = session.tokens
        if tokens is None:
            raise SessionOver
        if tokens.expires_at - FRESH_SECONDS > time.time():
            return tokens
        # Pages of one session that come at once share a task; of other processes the one with the lease refreshes.
        key = session.stored.key
        task = self._refreshing.get(key)
        if task is None:
            task = self._refreshing[key] = asyncio.create_task(self._refresh(session, tokens))
            task.add_done_callback(lambda _: self._refreshing.pop(key, None))
        try:
            return await asyncio.shield(task)
        except ProviderAway:
            if tokens.expires_at > time.time():
                return tokens
            raise

    async def _refresh(self, session: Session, tokens: Tokens) -> Tokens:
        """Renew the tokens, of all processes in one: a refresh token used twice would end the grant.

        Another process that holds the lease is waited for, and what it wrote is returned. Raises SessionOver and
        ProviderAway.
        """
        key, generation = session.stored.key, session.stored.generation
        while True:
            async with self._database.connection() as connection:
                is_ours = await store.lease_refresh(connection, key, generation, LEASE)
            if is_ours:
                break
            async with self._database.connection() as connection:
                stored = await store.find_session(connection, key, self._idle, self._longest, KEPT)
            if stored is None or not stored.is_living:
                raise SessionOver
            if stored.generation != generation:
                return self._open_tokens(stored)
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        try:
            renewed = await self._provider.refresh(tokens)
        except GrantRefused:
            async with self._database.connection() as connection:
                await store.end_session(connection, key)
            raise SessionOver from None
        except ProviderAway:
            async with self._database.connection() as connection:
                await store.give_up_refresh(connection, key, generation)
            raise
        async with self._database.connection() as connection:
            if not await store.write_tokens(connection, key, generation, self._seal_tokens(key, renewed)):
                raise SessionOver  # ended meanwhile: what was renewed is not used
        return renewed

    async def end(self, session: Session) -> None:
        """End the session here."""
        async with self._database.connection() as connection:
            await store.end_session(connection, session.stored.key)

    async def end_at_word_of_provider(self, ending: SessionEnd) -> int:
        """End what a logout token names, and return how many sessions that were."""
        async with self._database.connection() as connection:
            if ending.session is not None:
                return await store.end_provider_session(connection, session_key(ending.issuer, ending.session))
            return await store.end_sessions_of(connection, subject_key(ending.issuer, ending.subject or ""), ending.at)

    async def list_own(self, session: Session) -> list[OwnSession]:
        """Return the living sessions of the person, the one that was used last first."""
        return [
            OwnSession(each.key.hex()[:_NAME_DIGITS], each.begun_at, each.used_at, each.key == session.stored.key)
            for each in await self._list_living(session)
        ]

    async def end_own(self, session: Session, names: Collection[str] | None = None) -> int:
        """End the person's other sessions of these names, or all of them, and return how many that were.

        They end at the provider, too, so that nobody is let in again there without a password; one that goes back to
        the same login there as the present one ends only here.
        """
        living = await self._list_living(session)
        here = next((each.provider_key for each in living if each.key == session.stored.key), None)
        ended = 0
        for each in living:
            is_meant = names is None or each.key.hex()[:_NAME_DIGITS] in names
            if each.key == session.stored.key or not is_meant:
                continue
            async with self._database.connection() as connection:
                ended += await store.end_session(connection, each.key)
            if each.provider_key != here:
                with suppress(SealBroken, ProviderAway):
                    opened = self._sealer.open(b"tokens" + each.key, each.tokens)
                    await self._provider.end_session(msgspec.json.decode(opened, type=Tokens))
        return ended

    async def _list_living(self, session: Session) -> list[LivingSession]:
        async with self._database.connection() as connection:
            return await store.list_living_sessions(connection, session.stored.subject_key, self._idle, self._longest)

    # ---- what the next page says ------------------------------------------------------------------------------------

    async def leave_notice(self, session: Session, text: str) -> None:
        """Have the next page of this session say this, once."""
        sealed = self._sealer.seal(b"notice" + session.stored.key, text.encode())
        async with self._database.connection() as connection:
            await store.write_notice(connection, session.stored.key, sealed)

    async def take_notice(self, session: Session) -> str:
        """Return what is to be said, "" where there is nothing."""
        if session.stored.notice is None:
            return ""
        async with self._database.connection() as connection:
            await store.write_notice(connection, session.stored.key, None)
        with suppress(SealBroken):
            return self._sealer.open(b"notice" + session.stored.key, session.stored.notice).decode()
        return ""

    # ---- how much waits ---------------------------------------------------------------------------------------------

    def open_counts(self, session: Session) -> Counts | None:
        """Return what the session remembers."""
        if session.stored.counts is None:
            return None
        with suppress(SealBroken):
            opened = self._sealer.open(b"counts" + session.stored.key, session.stored.counts)
            return msgspec.json.decode(opened, type=Counts)
        return None

    async def keep_counts(self, session: Session, counts: Counts, *, is_all: bool = False) -> None:
        """Remember them; `is_all` says that everything was counted just now."""
        sealed = self._sealer.seal(b"counts" + session.stored.key, msgspec.json.encode(counts))
        async with self._database.connection() as connection:
            await store.write_counts(connection, session.stored.key, sealed, is_all)

    async def remember_actions(self, session: Session, actions: Collection[str]) -> None:
        """Store the actions that the person holds, if they have changed since the last page."""
        held = sorted(actions)
        if held != session.actions:
            sealed = self._sealer.seal(b"actions" + session.stored.key, msgspec.json.encode(held))
            async with self._database.connection() as connection:
                await store.write_actions(connection, session.stored.key, sealed)

    async def claim_counting(self, session: Session) -> bool:
        """Return whether it is the caller who counts anew: one of all pages of the session, in all processes."""
        async with self._database.connection() as connection:
            return await store.claim_counting(connection, session.stored.key, session.stored.counted_at)

    # ---- what was typed when the session was over -------------------------------------------------------------------

    async def keep_draft(self, session: Session, draft: Draft) -> UUID | None:
        """Keep what was typed for the person's next session. Return its number; None for a text that is too large."""
        sealed, number = await self.seal_draft(session, draft), uuid4()
        if len(sealed) > MOST_DRAFT_BYTES:
            return None
        # Each statement commits by itself: the last of several processes deletes what they have stored together.
        async with self._database.connection() as connection:
            await self.write_draft(connection, session, sealed, number)
        return number

    async def seal_draft(self, session: Session, draft: Draft) -> bytes:
        """Seal a text for its person, outside the event loop."""
        place = b"draft" + session.stored.subject_key
        return await asyncio.to_thread(lambda: self._sealer.seal(place, msgspec.json.encode(draft)))

    async def write_draft(self, connection: Connection, session: Session, sealed: bytes, number: UUID) -> None:
        """Store a sealed text under this number, and delete the person's oldest texts beyond the limits."""
        subject = session.stored.subject_key
        await store.write_draft(connection, number, subject, sealed)
        await store.delete_drafts_beyond(connection, subject, MOST_DRAFTS, MOST_DRAFT_BYTES)

    async def list_drafts(self, session: Session) -> list[tuple[UUID, Draft]]:
        """Return what is kept for the person, the newest first."""
        subject = session.stored.subject_key
        async with self._database.connection() as connection:
            stored = await store.list_drafts(connection, subject, KEPT)
        return await asyncio.to_thread(self._open_drafts, subject, stored)

    async def read_draft(self, session: Session, number: str) -> Draft | None:
        """Return one text that is kept for the person; None for a number that is none of theirs."""
        subject = session.stored.subject_key
        try:
            async with self._database.connection() as connection:
                stored = await store.find_draft(connection, UUID(number), subject, KEPT)
        except ValueError:
            return None
        found = [] if stored is None else await asyncio.to_thread(self._open_drafts, subject, [stored])
        return found[0][1] if found else None

    def _open_drafts(self, subject: bytes, stored: Sequence[StoredDraft]) -> list[tuple[UUID, Draft]]:
        found = []
        for one in stored:
            with suppress(SealBroken):
                opened = self._sealer.open(b"draft" + subject, one.content)
                found.append((one.id, msgspec.json.decode(opened, type=Draft)))
        return found

    async def find_saving(self, session: Session, number: UUID) -> datetime | None:
        """Return when the person's text of this number was kept; None where there is none."""
        async with self._database.connection() as connection:
            return await store.find_saving(connection, number, session.stored.subject_key, KEPT)

    async def drop_draft(self, session: Session, number: str) -> None:
        """Forget a text; nothing happens for a number that is none of the person's."""
        with suppress(ValueError):
            draft = UUID(number)
            async with self._database.connection() as connection:
                await store.delete_draft(connection, draft, session.stored.subject_key)

    # ---- housekeeping -----------------------------------------------------------------------------------------------

    async def delete_old(self) -> None:
        """Delete what nobody comes back to."""
        async with self._database.connection() as connection:
            await store.delete_old_sessions(connection, KEPT + self._longest)
            await store.delete_old_drafts(connection, KEPT)

    def _seal_tokens(self, key: bytes, tokens: Tokens) -> bytes:
        return self._sealer.seal(b"tokens" + key, msgspec.json.encode(tokens))

    def _open_tokens(self, stored: StoredSession) -> Tokens:
        opened = self._sealer.open(b"tokens" + stored.key, stored.tokens or b"")
        return msgspec.json.decode(opened, type=Tokens)


def hash_cookie(cookie: str) -> bytes:
    """Return what the database stores of a cookie: an unguessable text needs no slow hash."""
    return hashlib.sha256(cookie.encode()).digest()
