"""The trail of who did what to whose data: written in the transaction of the change, or the change fails.

A person enters an event as a keyed hash plus the masked CPF, never whole.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection, StatementRefused
from balcao.core.errors import Unavailable
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id

Action = Literal["create", "read", "update", "delete", "export", "anonymise", "push", "event", "denied"]

_INSERT = """
INSERT INTO platform.audit_event
    (id, request_id, operation, action, subject_hash, subject, actor_kind, actor_hash, key_number,
     client, "grant", fields, reason, outcome)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
"""


@dataclass(frozen=True)
class HashKey:
    """Keyed hashes of CPFs and other secrets; the number tells later which key made a hash."""

    secret: bytes
    number: int

    def of(self, cpf: Cpf | None) -> bytes | None:
        if cpf is None:
            return None
        return hashlib.blake2b(cpf.digits.encode(), key=self.secret[:64], digest_size=32).digest()

    def derived(self, purpose: str, content: str = "") -> bytes:
        """32 bytes for one purpose (a word of at most 16 letters): the hash of a content, or a key for another use."""
        hashed = hashlib.blake2b(content.encode(), key=self.secret[:64], person=purpose.encode(), digest_size=32)
        return hashed.digest()


class Audit:
    """Writes audit events; needs the key only."""

    def __init__(self, key: HashKey) -> None:
        self._key = key

    @property
    def key(self) -> HashKey:
        """For a service that keeps a trail of its own besides."""
        return self._key

    async def record(
        self,
        connection: Connection,
        call: Call,
        action: Action,
        *,
        subject: Cpf | None = None,
        fields: Sequence[str] = (),
        outcome: str = "done",
    ) -> None:
        """One event of the call at hand, in the caller's transaction. Raises Unavailable: nothing goes unrecorded."""
        event = (
            new_id(),
            call.request_id,
            call.operation,
            action,
            self._key.of(subject),
            subject.masked if subject else None,
            call.actor_kind,
            self._key.of(call.actor),
            self._key.number,
            call.client,
            call.grant,
            list(fields),
            call.reason,
            outcome,
        )
        try:
            await connection.execute(_INSERT, *event)
        except StatementRefused as refusal:
            raise Unavailable(code="audit-not-written", retry_after=1) from refusal
