"""One-time tickets for callers that cannot send a token: a browser's `EventSource` cannot set headers.

A ticket opens one operation with fixed parameters, once and within `LIFE`. The database stores only its hash, and its
content sealed with a key that is derived from the ticket itself.
"""

import hashlib
import secrets
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from joserfc import jwe
from joserfc.jwk import OctKey

from balcao.core.access.caller import Caller
from balcao.core.access.missing import describe_refusal
from balcao.core.access.rules import PUBLIC, Rule, decide
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.errors import Forbidden, Unauthenticated
from balcao.core.values.cpf import Cpf

LIFE = timedelta(seconds=30)
_SEAL = {"alg": "dir", "enc": "A256GCM"}


class Holder(msgspec.Struct, frozen=True):
    """The content of a ticket: its caller, without name and e-mail, and the `parameters` of the operation."""

    subject: str
    client: str
    cpf: str | None
    scopes: frozenset[str]
    roles: frozenset[str]
    expires_at: float
    issuer: str
    is_machine: bool
    issued_at: float
    session: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, caller: Caller, parameters: Mapping[str, Any]) -> "Holder":
        """Return what a ticket stores about the caller."""
        return cls(
            subject=caller.subject,
            client=caller.client,
            cpf=None if caller.cpf is None else caller.cpf.digits,
            scopes=caller.scopes,
            roles=caller.roles,
            expires_at=caller.expires_at,
            issuer=caller.issuer,
            is_machine=caller.is_machine,
            issued_at=caller.issued_at,
            session=caller.session,
            parameters=parameters,
        )

    def to_caller(self) -> Caller:
        """Return the caller who requested the ticket, without name and e-mail."""
        return Caller(
            subject=self.subject,
            client=self.client,
            cpf=None if self.cpf is None else Cpf(self.cpf),
            name=None,
            email=None,
            scopes=self.scopes,
            roles=self.roles,
            expires_at=self.expires_at,
            issuer=self.issuer,
            is_machine=self.is_machine,
            issued_at=self.issued_at,
            session=self.session,
        )


# Creating a ticket deletes some expired tickets, so the table cannot grow faster than it is emptied.
@statement("""
WITH swept AS (
    DELETE FROM platform.access_ticket WHERE digest IN (
        SELECT digest FROM platform.access_ticket WHERE expires_at <= now() LIMIT 10 FOR UPDATE SKIP LOCKED)
)
INSERT INTO platform.access_ticket (digest, operation, sealed, expires_at)
VALUES (:digest, :operation, :sealed, now() + :life::interval)
RETURNING expires_at
""")
async def _insert_ticket(
    connection: Connection, digest: bytes, operation: str, sealed: str, life: timedelta
) -> datetime: ...


async def issue_ticket(call: Call, operation: str, parameters: Mapping[str, Any]) -> tuple[str, datetime]:
    """Create a ticket for the caller and the operation with these parameters.

    Return the ticket and the time when it expires.
    """
    ticket = secrets.token_urlsafe(32)
    content = msgspec.json.encode(Holder.of(call.identified_caller, parameters))
    sealed = jwe.encrypt_compact(_SEAL, content, _derive_key(ticket))
    async with call.platform.database.connection() as connection:
        ends_at = await _insert_ticket(connection, _hash(ticket), operation, sealed, LIFE)
    return ticket, ends_at


@statement("""
DELETE FROM platform.access_ticket WHERE digest = :digest AND operation = :operation
RETURNING sealed, expires_at > now()
""")
async def _take_ticket(connection: Connection, digest: bytes, operation: str) -> tuple[str, bool] | None:
    """Delete the ticket. Return its sealed content, and whether it was still valid."""


async def redeem_ticket(
    platform: Platform, operation: str, rule: Rule, ticket: str
) -> tuple[Caller, Mapping[str, Any]]:
    """Use up a ticket, and return its holder and parameters.

    Raises Unauthenticated if the ticket is unknown, used or expired, or if its holder's session or token has ended.
    Raises Forbidden if the holder may no longer call the operation, or Unavailable if the access rules are outdated.
    """
    async with platform.database.connection() as connection:
        sealed, is_living = await _take_ticket(connection, _hash(ticket), operation) or ("", False)
    if not is_living:
        raise _make_refusal()
    content = jwe.decrypt_compact(sealed, _derive_key(ticket), algorithms=list(_SEAL.values())).plaintext
    assert content is not None
    holder = msgspec.json.decode(content, type=Holder)
    caller = holder.to_caller()
    if caller.expires_at <= time.time() or platform.has_ended(caller):
        raise _make_refusal()
    snapshot = platform.catalogue.snapshot
    bound = snapshot.bindings.get(operation, rule.action)
    if bound != PUBLIC and not decide(rule, bound, caller, None, snapshot, platform.client_lists).allowed:
        raise Forbidden(describe_refusal(snapshot, rule, bound, caller))
    return caller, holder.parameters


@statement("SELECT count(*) FROM platform.access_ticket")
async def count_tickets(connection: Connection) -> int: ...


@statement("DELETE FROM platform.access_ticket WHERE expires_at <= now()")
async def delete_expired_tickets(connection: Connection) -> int:
    """Delete the tickets that were not used in time."""


def _make_refusal() -> Unauthenticated:
    """Return the error for a ticket that is not accepted. It does not state the reason."""
    text = "O bilhete é desconhecido, já foi usado ou venceu: peça outro."
    return Unauthenticated(text, code="ticket-invalid")


def _hash(ticket: str) -> bytes:
    return hashlib.sha256(f"ticket\0{ticket}".encode()).digest()


def _derive_key(ticket: str) -> OctKey:
    """Return the key that seals the content. It cannot be derived from the stored hash."""
    return OctKey.import_key(hashlib.sha256(f"seal\0{ticket}".encode()).digest())
