"""Wire types of the dead-lettered jobs: names, numbers and codes, no value of a person (rules: registry 3.4)."""

from datetime import datetime

import msgspec

from balcao.core.http.paging import Pagination
from balcao.core.jobs.queue import State, Try

MOST_AT_ONCE = 1_000


class DeadLetter(msgspec.Struct, kw_only=True):
    """`cpf` is masked; null where a job is about nobody. `fields` are names."""

    id: str
    kind: str
    cpf: str | None
    fields: list[str]
    attempts: int
    first_failed_at: datetime | None
    last_failed_at: datetime | None
    http_status: int | None
    error_code: str | None
    state: State
    request_id: str | None


class DeadLetterDetail(DeadLetter):
    """`attempts_log` holds the last ten, the newest first."""

    attempts_log: list[Try]


class DeadLetterPage(msgspec.Struct):
    data: list[DeadLetter]
    pagination: Pagination


class RetryJobsBody(msgspec.Struct):
    kind: str
    error_code: str | None = None
    limit: int = 100


class RetriedJobs(msgspec.Struct):
    retried: int
