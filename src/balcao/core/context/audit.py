"""The trail of who did what to whose data: written in the transaction of the change, or the change fails.

A person enters an event as a keyed hash plus the masked CPF, never whole. A member of staff enters it with their name
besides, because they answer for what they do in the city's name.
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
    """Return the text of an INSERT that records, for each row of `source`, the events of `trail`.

    For a store that writes and records in one statement, as one of its CTEs. `trail` is an SQL expression: a jsonb
    parameter or a column with what `Audit.encode_event` returned. Without a row in `source` nothing is recorded, so a
    statement that writes under a condition names the CTE that says whether it held.
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
    """Return one text that `record_sql` takes, with the events of all, in their order."""
    return json_text([event for trail in trails for event in msgspec.json.decode(trail, type=list[msgspec.Raw])])


@statement(record_sql(":trail::jsonb", "(VALUES (true)) AS always"))
async def _insert_events(connection: Connection, trail: str) -> None: ...


@contextmanager
def recording() -> Iterator[None]:
    """Wrap a statement that records. Raises Unavailable where the trail is what PostgreSQL refuses to write."""
    try:
        yield
    except StatementRefused as refusal:
        # The fault of a missing right names the table only in its text, which is in the server's language.
        if "audit_event" not in str(refusal):
            raise
        raise Unavailable(code="audit-not-written", retry_after=1) from refusal


@dataclass(frozen=True)
class HashKey:
    """Makes keyed hashes of CPFs and other secrets; the number tells later which key made a hash."""

    secret: bytes
    number: int

    def hash_cpf(self, cpf: Cpf | None) -> bytes | None:
        """Return the 32 bytes that stand for the person in the audit trail; None for None."""
        if cpf is None:
            return None
        return hashlib.blake2b(cpf.digits.encode(), key=self.secret[:64], digest_size=32).digest()

    def hash_login(self, issuer: str, subject: str) -> bytes:
        """Return the 32 bytes that stand for a login without CPF; `issuer` has no slash at its end."""
        return self.derive("login", f"{issuer}\0{subject}")

    def derive(self, purpose: str, content: str = "") -> bytes:
        """Return 32 bytes for one purpose (a word of at most 16 bytes): a hash of the content, or a further key."""
        hashed = hashlib.blake2b(content.encode(), key=self.secret[:64], person=purpose.encode(), digest_size=32)
        return hashed.digest()


class RecordedCall(Protocol):
    """What an event tells of the call at hand."""

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
    """Writes audit events. `former` are the keys of older hashes, so that people are found by those as well."""

    def __init__(self, key: HashKey, former: Sequence[HashKey] = ()) -> None:
        self._key = key
        self._keys = (key, *former)

    @property
    def key(self) -> HashKey:
        """Return the key, for a service that has a trail of its own besides."""
        return self._key

    @property
    def keys(self) -> Sequence[HashKey]:
        """Return the key and the former ones."""
        return self._keys

    def list_hashes(self, cpf: Cpf) -> list[bytes]:
        """Return all hashes that may stand for the person in a trail, the one of the present key first."""
        return [hashed for key in self._keys if (hashed := key.hash_cpf(cpf)) is not None]

    def list_login_hashes(self, issuer: str, subject: str) -> list[bytes]:
        """Return all hashes that may stand for a login without CPF; `issuer` has no slash at its end."""
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
        """Record one event of the call at hand, in the caller's transaction.

        Raises Unavailable when it cannot be written, so that nothing goes unrecorded.
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
        """Record an event for each of these people, as `record` does, in one statement."""
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
        """Return one event of the call at hand as the jsonb text that `record_sql` takes."""
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
        """Hash the CPF, or issuer and subject of a login without one. A machine is known by its client."""
        caller = call.caller
        if caller is None or caller.is_machine or caller.cpf is not None:
            return self._key.hash_cpf(call.actor_cpf)
        return self._key.hash_login(caller.issuer, caller.subject)


def _hex(content: bytes | None) -> str | None:
    """Return the text form of a bytea."""
    return None if content is None else f"\\x{content.hex()}"
