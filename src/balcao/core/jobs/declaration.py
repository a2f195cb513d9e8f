"""What a feature declares of its jobs for operators, who see ids only: whose they are, and what ends with them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from balcao.core.database.pool import Connection
from balcao.core.jobs.queue import Try
from balcao.core.values.cpf import Cpf


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a job concerns; `fields` are names.

    `tries`, newest first, replaces the queue's own log where the feature has a fuller one.
    """

    cpf: Cpf
    request_id: str | None = None
    fields: Sequence[str] = ()
    tries: Sequence[Try] | None = None


async def _end_nothing(_: Connection, __: str) -> None:
    """End a job behind which nothing stands."""


@dataclass(frozen=True)
class DeadJobs:
    """Whom a dead-lettered job of one kind concerns; the first member of its payload is the id of a row, a UUID.

    `member` is its name. `subjects` looks rows up by id, `ids` finds a person's, `drop` ends what nobody is to do any
    more.
    """

    kind: str
    member: str
    subjects: Callable[[Connection, Sequence[str]], Awaitable[Mapping[str, Subject]]]
    ids: Callable[[Connection, Cpf], Awaitable[Sequence[str]]]
    drop: Callable[[Connection, str], Awaitable[None]] = _end_nothing


class DeclaredDeadJobs(dict[str, DeadJobs]):
    """The declarations of all features that a process serves, by kind; a part of the platform."""

    def __init__(self, declarations: Iterable[DeadJobs]) -> None:
        super().__init__((declared.kind, declared) for declared in declarations)
