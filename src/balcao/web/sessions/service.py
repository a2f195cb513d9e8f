"""Sessions: start, look-up by cookie and token refresh. A person, the provider or a timeout can end them."""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta

import msgspec

from balcao.core.access.caller import session_key, subject_key
from balcao.core.access.sessions import SessionEnd
from balcao.core.database.pool import Database
from balcao.web.provider import GrantRefused, Login, Provider, ProviderAway, Tokens
from balcao.web.sealing import InvalidSeal, Sealer
from balcao.web.sessions import store
from balcao.web.sessions.drafts import Drafts
from balcao.web.sessions.session import Counts, Identity, OwnSession, Session, SessionOver
from balcao.web.sessions.store import LivingSession, StoredSession

# Renew access tokens that expire in less than this time. It is longer than a page can wait for a slot and make its
# calls.
FRESH_SECONDS = 45.0
# If a process needs longer than this to refresh tokens, another process may try.
LEASE = timedelta(seconds=15)
_LOOK_AGAIN_SECONDS = 0.1
# Record the use of a session at most once in this period, not for every request.
_TOUCH_SECONDS = 60.0
# An ended session is retained for a day, so that text typed when it ended can still be stored for the same person.
RETENTION_PERIOD = timedelta(hours=24)
# A session's `name` is this many hexadecimal digits from the start of the cookie's hash, which is enough to distinguish
# one person's sessions.
_NAME_DIGITS = 16


class Sessions:
    """A surface's sessions, shared by all processes and stored in the surface's schema. Their content is encrypted."""

    def __init__(
        self,
        database: Database,
        schema: str,
        sealer: Sealer,
        provider: Provider,
        *,
        idle: timedelta,
        longest: timedelta,
        drafts_kept: timedelta = RETENTION_PERIOD,
    ) -> None:
        self.drafts = Drafts(database, schema, sealer, drafts_kept)
        self._database = database
        self._schema = schema
        self._sealer = sealer
        self._provider = provider
        self._idle = idle
        self._longest = longest
        self._refreshing: dict[bytes, asyncio.Task[Tokens]] = {}

    async def begin(self, login: Login, form_secret: str | None = None) -> str:
        """Start a session with a new key, and return its cookie.

        If the new session replaces another one, `form_secret` is the secret of the old session, so that its open forms
        still work.
        """
        cookie = secrets.token_urlsafe(32)
        key = hash_cookie(cookie)
        identity = Identity(login.issuer, login.subject, login.name, form_secret or secrets.token_urlsafe(32))
        async with self._database.connection() as connection:
            await store.insert_session(
                connection,
                self._schema,
                key,
                subject_key(login.issuer, login.subject),
                session_key(login.issuer, login.session) if login.session else None,
                self._sealer.seal(b"identity" + key, msgspec.json.encode(identity)),
                self._seal_tokens(key, login.tokens),
            )
        return cookie

    async def find(self, cookie: str, *, is_use: bool = True) -> Session | None:
        """Return the session that a cookie identifies, even if it has ended. Return None for an unknown cookie.

        Pass `is_use=False` for requests that a page sends without a user action. They must not prolong the session of a
        person who is no longer there.
        """
        if not cookie:
            return None
        key = hash_cookie(cookie)
        async with self._database.connection() as connection:
            stored = await store.find_session(
                connection, self._schema, key, self._idle, self._longest, RETENTION_PERIOD
            )
            if is_use and stored is not None and stored.is_active and stored.unused_seconds > _TOUCH_SECONDS:
                await store.touch_session(connection, self._schema, key)
        return None if stored is None else self._open(stored)

    def _open(self, stored: StoredSession) -> Session | None:
        try:
            opened = self._sealer.open(b"identity" + stored.key, stored.identity)
            identity = msgspec.json.decode(opened, type=Identity)
            tokens = self._open_tokens(stored) if stored.tokens is not None else None
            sealed = stored.actions
            actions = b"null" if sealed is None else self._sealer.open(b"actions" + stored.key, sealed)
        except InvalidSeal:  # the encryption key was removed from the settings
            return None
        return Session(stored, identity, tokens, msgspec.json.decode(actions, type=list[str] | None))

    async def find_again(self, session: Session, *, is_use: bool = True) -> Session:
        """Read the session again, for work that takes longer than a request.

        Raises SessionOver if the session has ended.
        """
        async with self._database.connection() as connection:
            stored = await store.find_session(
                connection, self._schema, session.stored.key, self._idle, self._longest, RETENTION_PERIOD
            )
            if is_use and stored is not None and stored.is_active:
                await store.touch_session(
                    connection, self._schema, session.stored.key
                )  # a person is waiting for the result
        found = None if stored is None else self._open(stored)
        if found is None or not found.is_active:
            raise SessionOver
        return found

    async def refresh_tokens(self, session: Session) -> Tokens:
        """Return tokens that do not expire soon, and refresh them if necessary.

        Raises SessionOver if the session has ended.

        Raises ProviderAway if the provider is down and the old tokens have expired.
        """
        tokens = session.tokens
        if tokens is None:
            raise SessionOver
        if tokens.expires_at - FRESH_SECONDS > time.time():
            return tokens
        # Within a process, concurrent pages of one session share a task. Among processes, only the one with the lease
        # refreshes.
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
        """Refresh the tokens in only one process, because a second use of a refresh token would end the grant.

        If another process holds the lease, wait until it has stored new tokens, and return those. Raises SessionOver if
        the session has ended, and ProviderAway if the provider is down.
        """
        key, generation = session.stored.key, session.stored.generation
        while True:
            async with self._database.connection() as connection:
                is_ours = await store.lease_refresh(connection, self._schema, key, generation, LEASE)
            if is_ours:
                break
            async with self._database.connection() as connection:
                stored = await store.find_session(
                    connection, self._schema, key, self._idle, self._longest, RETENTION_PERIOD
                )
            if stored is None or not stored.is_active:
                raise SessionOver
            if stored.generation != generation:
                return self._open_tokens(stored)
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)
        try:
            renewed = await self._provider.refresh(tokens)
        except GrantRefused:
            async with self._database.connection() as connection:
                await store.end_session(connection, self._schema, key)
            raise SessionOver from None
        except ProviderAway:
            async with self._database.connection() as connection:
                await store.give_up_refresh(connection, self._schema, key, generation)
            raise
        async with self._database.connection() as connection:
            if not await store.write_tokens(connection, self._schema, key, generation, self._seal_tokens(key, renewed)):
                raise SessionOver  # the session has ended in the meantime
        return renewed

    async def end(self, session: Session) -> None:
        """End the session on this surface, but not at the provider."""
        async with self._database.connection() as connection:
            await store.end_session(connection, self._schema, session.stored.key)

    async def end_by_logout_token(self, ending: SessionEnd) -> int:
        """End the sessions that a logout token names, and return their number."""
        async with self._database.connection() as connection:
            if ending.session is not None:
                return await store.end_provider_session(
                    connection, self._schema, session_key(ending.issuer, ending.session)
                )
            return await store.end_sessions_of(
                connection, self._schema, subject_key(ending.issuer, ending.subject or ""), ending.at
            )

    async def list_own(self, session: Session) -> list[OwnSession]:
        """Return the person's active sessions, most recently used first."""
        return [
            OwnSession(each.key.hex()[:_NAME_DIGITS], each.begun_at, each.used_at, each.key == session.stored.key)
            for each in await self._list_living(session)
        ]

    async def end_other_sessions(self, session: Session, names: Collection[str] | None = None) -> int:
        """End the person's other sessions with these names, or all others if `names` is None. Return their number.

        Also end them at the provider if it responds, so that a new login needs a password. A session that shares its
        provider session with the current session is ended only here.
        """
        living = await self._list_living(session)
        here = next((each.provider_key for each in living if each.key == session.stored.key), None)
        ended = 0
        for each in living:
            is_meant = names is None or each.key.hex()[:_NAME_DIGITS] in names
            if each.key == session.stored.key or not is_meant:
                continue
            async with self._database.connection() as connection:
                ended += await store.end_session(connection, self._schema, each.key)
            if each.provider_key != here:
                with suppress(InvalidSeal, ProviderAway):
                    opened = self._sealer.open(b"tokens" + each.key, each.tokens)
                    await self._provider.end_session(msgspec.json.decode(opened, type=Tokens))
        return ended

    async def _list_living(self, session: Session) -> list[LivingSession]:
        async with self._database.connection() as connection:
            return await store.list_living_sessions(
                connection, self._schema, session.stored.subject_key, self._idle, self._longest
            )

    # ---- the notice on the next page --------------------------------------------------------------------------------

    async def store_notice(self, session: Session, text: str) -> None:
        """Store a notice, which the session's next page shows once."""
        sealed = self._sealer.seal(b"notice" + session.stored.key, text.encode())
        async with self._database.connection() as connection:
            await store.write_notice(connection, self._schema, session.stored.key, sealed)

    async def pop_notice(self, session: Session) -> str:
        """Remove the stored notice and return it. Return an empty string if there is none."""
        if session.stored.notice is None:
            return ""
        async with self._database.connection() as connection:
            await store.write_notice(connection, self._schema, session.stored.key, None)
        with suppress(InvalidSeal):
            return self._sealer.open(b"notice" + session.stored.key, session.stored.notice).decode()
        return ""

    # ---- counts of waiting items ------------------------------------------------------------------------------------

    def open_counts(self, session: Session) -> Counts | None:
        """Return the counts stored in the session, or None if it has none."""
        if session.stored.counts is None:
            return None
        with suppress(InvalidSeal):
            opened = self._sealer.open(b"counts" + session.stored.key, session.stored.counts)
            return msgspec.json.decode(opened, type=Counts)
        return None

    async def store_counts(self, session: Session, counts: Counts, *, is_all: bool = False) -> None:
        """Store the counts. Set `is_all` if all entries have just been counted."""
        sealed = self._sealer.seal(b"counts" + session.stored.key, msgspec.json.encode(counts))
        async with self._database.connection() as connection:
            await store.write_counts(connection, self._schema, session.stored.key, sealed, is_all)

    async def remember_actions(self, session: Session, actions: Collection[str]) -> None:
        """Store the person's actions if they have changed since the last page."""
        held = sorted(actions)
        if held != session.actions:
            sealed = self._sealer.seal(b"actions" + session.stored.key, msgspec.json.encode(held))
            async with self._database.connection() as connection:
                await store.write_actions(connection, self._schema, session.stored.key, sealed)

    async def claim_counting(self, session: Session) -> bool:
        """Return whether the caller must count again. Among all pages in all processes, only one gets True."""
        async with self._database.connection() as connection:
            return await store.claim_counting(connection, self._schema, session.stored.key, session.stored.counted_at)

    # ---- housekeeping -----------------------------------------------------------------------------------------------

    async def delete_old(self) -> None:
        """Delete sessions and drafts that are too old to be used."""
        async with self._database.connection() as connection:
            await store.delete_old_sessions(connection, self._schema, RETENTION_PERIOD + self._longest)
        await self.drafts.delete_old()

    def _seal_tokens(self, key: bytes, tokens: Tokens) -> bytes:
        return self._sealer.seal(b"tokens" + key, msgspec.json.encode(tokens))

    def _open_tokens(self, stored: StoredSession) -> Tokens:
        opened = self._sealer.open(b"tokens" + stored.key, stored.tokens or b"")
        return msgspec.json.decode(opened, type=Tokens)


def hash_cookie(cookie: str) -> bytes:
    """Return the hash under which the database stores a cookie. Cookies are random, so a slow hash is not necessary."""
    return hashlib.sha256(cookie.encode()).digest()
