"""The audit trail: who did what to whose data.

An event is written in the transaction of its change. If the event cannot be written, the change fails.

A person appears in an event only as a keyed hash and the masked CPF. For a member of staff the event also has the name,
because staff are accountable for what they do for the city.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

from balcao.core.access.caller import Caller
from balcao.core.database.faults import StatementRefused
from balcao.core.database.pool import Connection, json_text
from balcao.core.database.statements import statement
from balcao.core.errors import Unavailable
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id

Action = Literal["create", "read", "update", "delete", "export", "anonymise", "push", "event", "denied"]

ActorKind = Literal["owner", "citizen", "staff", "client", "crm", "worker", "operator"]

_COLUMNS = """id, request_id, operation, action, subject_hash, subject, actor_kind, actor_hash, key_number,
        client, "grant", fields, reason, outcome, actor_name"""


def record_sql(trail: str, source: str) -> str:
    """Return an INSERT that records the events of `trail` for each row of `source`.

    Use it as a CTE of the statement that makes the change. `trail` is an SQL expression: a jsonb parameter, or a column
    with the result of `Audit.encode_event`. Nothing is recorded if `source` has no rows, so a conditional statement
    passes the CTE whose rows show whether the condition was met.
    """
    return f"""
    INSERT INTO platform.audit_event ({_COLUMNS})
    SELECT event.*
    FROM {source} CROSS JOIN LATERAL jsonb_to_recordset({trail}) AS event (
        id uuid, request_id text, operation text, action text, subject_hash bytea, subject text, actor_kind text,
        actor_hash bytea, key_number smallint, client text, "grant" text, fields text[], reason text, outcome text,
        actor_name text)
    """  # noqa: S608 - texts of our own stores


def join_trails(trails: Iterable[str]) -> str:
    """Join the encoded events of several trails, in order, into one JSON text for `record_sql`."""
    return json_text([event for trail in trails for event in msgspec.json.decode(trail, type=list[msgspec.Raw])])


@statement(record_sql(":trail::jsonb", "(VALUES (true)) AS always"))
async def _insert_events(connection: Connection, trail: str) -> None: ...


@contextmanager
def guard_audit_write() -> Iterator[None]:
    """Run the block, which contains a statement that records audit events.

    Raises Unavailable if PostgreSQL refuses to write the audit trail.
    """
    try:
        yield
    except StatementRefused as refusal:
        # If a privilege is missing, only the error message names the table, and the message is in the server's
        # language.
        if "audit_event" not in str(refusal):
            raise
        raise Unavailable(code="audit-not-written", retry_after=1) from refusal


@dataclass(frozen=True)
class HashKey:
    """A key for hashes of CPFs and other secrets. Its number is stored with each hash to identify the key later."""

    secret: bytes
    number: int

    def hash_cpf(self, cpf: Cpf | None) -> bytes | None:
        """Return the 32 bytes that represent the person in the audit trail. Return None for None."""
        if cpf is None:
            return None
        return hashlib.blake2b(cpf.digits.encode(), key=self.secret[:64], digest_size=32).digest()

    def hash_login(self, issuer: str, subject: str) -> bytes:
        """Return the 32 bytes that represent a login without CPF. `issuer` has no trailing slash."""
        return self.derive("login", f"{issuer}\0{subject}")

    def derive(self, purpose: str, content: str = "") -> bytes:
        """Return 32 bytes for one purpose (a name of at most 16 bytes): a hash of the content, or a derived key."""
        hashed = hashlib.blake2b(content.encode(), key=self.secret[:64], person=purpose.encode(), digest_size=32)
        return hashed.digest()


class RecordedCall(Protocol):
    """What audit events record about the call that causes them."""

    request_id: str
    operation: str
    caller: Caller | None

    @property
    def actor_kind(self) -> ActorKind: ...

    @property
    def actor_cpf(self) -> Cpf | None: ...

    @property
    def client(self) -> str: ...

    @property
    def grant(self) -> str: ...

    @property
    def recorded_reason(self) -> str | None: ...


class Audit:
    """A writer of audit events. `former` are earlier keys. A search for a person also uses them to find old events."""

    def __init__(self, key: HashKey, former: Sequence[HashKey] = ()) -> None:
        self._key = key
        self._keys = (key, *former)

    @property
    def key(self) -> HashKey:
        """The current key, for a service that also has its own trail."""
        return self._key

    @property
    def keys(self) -> Sequence[HashKey]:
        """The current key, followed by the former keys."""
        return self._keys

    def list_hashes(self, cpf: Cpf) -> list[bytes]:
        """Return all hashes that may represent the person in a trail, starting with the current key's."""
        return [hashed for key in self._keys if (hashed := key.hash_cpf(cpf)) is not None]

    def list_login_hashes(self, issuer: str, subject: str) -> list[bytes]:
        """Return all hashes that may represent a login without CPF in a trail. `issuer` has no trailing slash."""
        return [key.hash_login(issuer, subject) for key in self._keys]

    async def record(
        self,
        connection: Connection,
        call: RecordedCall,
        action: Action,
        *,
        subject: Cpf | None = None,
        fields: Sequence[str] = (),
        outcome: str = "done",
    ) -> None:
        """Record one event of this call, in the caller's transaction.

        Raises Unavailable if the event cannot be written, so that no change goes unrecorded.
        """
        trail = self.encode_event(call, action, subject=subject, fields=fields, outcome=outcome)
        try:
            await _insert_events(connection, trail)
        except StatementRefused as refusal:
            raise Unavailable(code="audit-not-written", retry_after=1) from refusal

    async def record_each(
        self,
        connection: Connection,
        call: RecordedCall,
        action: Action,
        subjects: Iterable[Cpf],
        *,
        fields: Sequence[str] = (),
    ) -> None:
        """Record an event for each of these people in one statement.

        Raises Unavailable if the events cannot be written.
        """
        events = [self._event(call, action, subject, fields, "done") for subject in subjects]
        try:
            await _insert_events(connection, json_text(events))
        except StatementRefused as refusal:
            raise Unavailable(code="audit-not-written", retry_after=1) from refusal

    def encode_event(
        self,
        call: RecordedCall,
        action: Action,
        *,
        subject: Cpf | None = None,
        fields: Sequence[str] = (),
        outcome: str = "done",
    ) -> str:
        """Return one event of this call as the JSON text that `record_sql` expects."""
        return json_text([self._event(call, action, subject, fields, outcome)])

    def _event(
        self, call: RecordedCall, action: Action, subject: Cpf | None, fields: Sequence[str], outcome: str
    ) -> dict[str, Any]:
        return {
            "id": new_id(),
            "request_id": call.request_id,
            "operation": call.operation,
            "action": action,
            "subject_hash": _hex(self._key.hash_cpf(subject)),
            "subject": subject.masked if subject else None,
            "actor_kind": call.actor_kind,
            "actor_hash": _hex(self._hash_actor(call)),
            "key_number": self._key.number,
            "client": call.client,
            "grant": call.grant,
            "fields": list(fields),
            "reason": None if outcome == "denied" else call.recorded_reason,
            "outcome": outcome,
            "actor_name": call.caller.name if call.caller is not None and call.actor_kind == "staff" else None,
        }

    def _hash_actor(self, call: RecordedCall) -> bytes | None:
        """Return the hash of the caller's CPF, or of the login's issuer and subject if the login has no CPF.

        A machine is identified by its client.
        """
        caller = call.caller
        if caller is None or caller.is_machine or caller.cpf is not None:
            return self._key.hash_cpf(call.actor_cpf)
        return self._key.hash_login(caller.issuer, caller.subject)


def _hex(content: bytes | None) -> str | None:
    """Return the bytes in PostgreSQL's text form of a bytea."""
    return None if content is None else f"\\x{content.hex()}"
