"""Declare which person a job concerns, and which row to close when the job is dropped.

A job itself contains only ids.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from balcao.core.database.pool import Connection
from balcao.core.jobs.queue import Try
from balcao.core.values.cpf import Cpf


@dataclass(frozen=True, slots=True)
class Subject:
    """The person whom a job concerns. `fields` are the names of the fields in the job's data.

    `tries`, newest first, replaces the queue's own log if the feature has a more detailed log.
    """

    cpf: Cpf
    request_id: str | None = None
    fields: Sequence[str] = ()
    tries: Sequence[Try] | None = None


async def _end_nothing(_: Connection, __: str) -> None:
    """Change nothing. This is for features whose rows stay the same when a job is dropped."""


@dataclass(frozen=True)
class DeadJobs:
    """How to find the person whom a dead-lettered job of one kind concerns.

    The first member of a job's payload, named `member`, is the UUID of a row. `subjects` looks up rows by id, `ids`
    finds the rows of a person, and `drop` closes the row of a dropped job.
    """

    kind: str
    member: str
    subjects: Callable[[Connection, Sequence[str]], Awaitable[Mapping[str, Subject]]]
    ids: Callable[[Connection, Cpf], Awaitable[Sequence[str]]]
    drop: Callable[[Connection, str], Awaitable[None]] = _end_nothing


class DeclaredDeadJobs(dict[str, DeadJobs]):
    """The declarations of all features that a process serves, by kind of job. They are one of `platform.parts`."""

    def __init__(self, declarations: Iterable[DeadJobs]) -> None:
        super().__init__((declared.kind, declared) for declared in declarations)
