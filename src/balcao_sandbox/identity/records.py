"""Sessions, codes and refresh tokens, shared consistently by all processes.

The database stores only hashes of cookies, codes and refresh tokens.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from datetime import timedelta

from balcao.core.audit.retention import OldRows
from balcao.core.database.pool import Connection, Database
from balcao.core.values.ids import new_id
from balcao_sandbox.identity import store
from balcao_sandbox.identity.demo import Client
from balcao_sandbox.identity.store import Credential, Grant, Session

CODE_LIFE = timedelta(seconds=60)
# Within this time, a client without a secret may use a refresh token again, for example from two tabs.
REUSE_SECONDS = 30.0


def make_secret() -> str:
    """Return a random string of 43 characters."""
    return secrets.token_urlsafe(32)


class Records:
    """The stored sessions and grants. Cookies, codes and tokens are stored only as hashes.

    A refresh token's successor is derived with `key`, so that a repeated call gets the same successor.
    """

    def __init__(self, database: Database, key: bytes) -> None:
        self._database = database
        self._key = key

    async def log_in(self, username: str) -> tuple[Session, str]:
        """Start a session. Return the session and its cookie value."""
        cookie = make_secret()
        async with self._database.connection() as connection:
            return await store.add_session(connection, new_id(), _hash(cookie), username), cookie

    async def use_session(self, cookie: str) -> Session | None:
        """Prolong the active session that a browser's cookie identifies, and return it.

        Return None if there is none.
        """
        if not cookie:
            return None
        async with self._database.connection() as connection:
            return await store.use_session(connection, _hash(cookie))

    async def end_session(self, session: str) -> None:
        """End a session and all its grants."""
        async with self._database.connection() as connection:
            await store.end_session(connection, session)

    async def grant(
        self, session: Session, client: str, scope: str, nonce: str | None, redirect_uri: str, challenge: str | None
    ) -> str:
        """Store a grant for a client in this session, and return its code.

        If the session has ended in the meantime, nothing is stored, and the code is not valid.
        """
        code, grant = make_secret(), Grant(new_id(), session, client, scope, nonce)
        async with self._database.transaction() as connection:
            if await store.add_grant(connection, grant):
                await store.add_credential(connection, _hash(code), grant.id, CODE_LIFE, redirect_uri, challenge)
        return code

    async def exchange_code(
        self, code: str, client: Client, matches: Callable[[Credential], bool]
    ) -> tuple[Grant, str] | None:
        """Exchange a code for its grant and the first refresh token. Return None if the code is not valid.

        A code can be tried only once, even if the attempt fails. A second attempt ends the grant with all its tokens.
        """
        async with self._database.transaction() as connection:
            found = await store.lock_credential(connection, _hash(code), client.client_id, refresh=False)
            if found is None:
                return None
            if found.used_for is not None:
                await store.end_grant(connection, found.grant.id)
                return None
            await store.use_credential(connection, _hash(code))
            if not (found.living and matches(found)):
                return None
            return found.grant, await self._add_refresh(connection, found.grant, client, make_secret())

    async def exchange_refresh(self, token: str, client: Client, *, by_secret: bool) -> tuple[Grant, str] | None:
        """Exchange a refresh token for its grant and the next token. Return None if the token is not valid.

        Repetition: within the client's `repeat_seconds`, a used token returns the same successor again, provided that
        the successor is unused. Two tabs may refresh at the same time, or a response may have been lost. Without
        `by_secret`, the window is at most `REUSE_SECONDS`, so that a longer window does not help a thief who has only
        the token.

        Theft: any other second use ends the grant, because one of the two callers must have stolen the token.
        """
        async with self._database.transaction() as connection:
            found = await store.lock_credential(connection, _hash(token), client.client_id, refresh=True)
            if found is None:
                return None
            if found.used_for is None:
                return await self._renew(connection, found, client, token) if found.living else None
            window = client.repeat_seconds if by_secret else min(REUSE_SECONDS, client.repeat_seconds)
            next_token = self._derive_successor(token)
            successor = await store.lock_credential(connection, _hash(next_token), client.client_id, refresh=True)
            if successor is None or successor.used_for is not None or found.used_for > window:
                await store.end_grant(connection, found.grant.id)
                return None
            return (successor.grant, next_token) if successor.living else None

    async def read_grant(self, grant: str) -> Grant | None:
        """Return the grant, or None if it or its session has ended."""
        async with self._database.connection() as connection:
            return await store.read_grant(connection, grant)

    async def end_session_by_token(self, refresh_token: str, client: str) -> str | None:
        """End the session to which a refresh token belongs, even if the token was already used.

        Return the session's id. Return None if the token is unknown, or expired before it was used.
        """
        async with self._database.transaction() as connection:
            found = await store.lock_credential(connection, _hash(refresh_token), client, refresh=True)
            if found is None or not (found.living or found.used_for is not None):
                return None
            await store.end_session(connection, found.grant.session.id)
            return found.grant.session.id

    async def _renew(self, connection: Connection, found: Credential, client: Client, token: str) -> tuple[Grant, str]:
        await store.use_credential(connection, _hash(token))
        return found.grant, await self._add_refresh(connection, found.grant, client, self._derive_successor(token))

    async def _add_refresh(self, connection: Connection, grant: Grant, client: Client, token: str) -> str:
        """Store a refresh token, and prolong the session so that it lasts at least as long as the token."""
        lasting = timedelta(seconds=client.refresh_seconds)
        await store.prolong_session(connection, grant.session.id, max(lasting, store.IDLE_LIFETIME))
        await store.add_credential(connection, _hash(token), grant.id, lasting)
        return token

    def _derive_successor(self, token: str) -> str:
        """Derive a refresh token's successor."""
        digest = hmac.digest(self._key, b"refresh token\0" + token.encode(), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _hash(text: str) -> bytes:
    """Return the hash that is stored. The text is random, so a slow hash is not necessary."""
    return hashlib.sha256(text.encode()).digest()


RETENTION = [OldRows("identity_session", store.count_sessions, store.delete_expired_sessions)]
