"""What a room tells of its jobs to an operator who sees only their ids: whose they are, and what ends with them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from balcao.core.database.pool import Connection
from balcao.core.jobs.queue import Try
from balcao.core.values.cpf import Cpf


@dataclass(frozen=True, slots=True)
class Subject:
    """`fields` are names. `tries`, newest first, replaces the queue's own log where the room keeps a fuller one."""

    cpf: Cpf
    request_id: str | None = None
    fields: Sequence[str] = ()
    tries: Sequence[Try] | None = None


@dataclass(frozen=True)
class About:
    """One kind of job; `member` of its payload is the id of a row of the room's.

    `subjects` looks rows up by id, `ids` finds a person's, `dropped` ends what nobody is to do any more.
    """

    kind: str
    member: str
    subjects: Callable[[Connection, Sequence[str]], Awaitable[Mapping[str, Subject]]]
    ids: Callable[[Connection, Cpf], Awaitable[Sequence[str]]]
    dropped: Callable[[Connection, str], Awaitable[None]]
