"""Wire types for dead-lettered jobs (rules: registry 3.4).

They contain names, numbers, codes and times. CPFs are masked, and other personal values never appear.
"""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.jobs.queue import State, Try
from balcao.core.values.page import Pagination

MOST_AT_ONCE = 1_000


class DeadLetter(msgspec.Struct, kw_only=True):
    """A job that has failed permanently. `cpf` is masked, or null if the job concerns no person."""

    id: Annotated[str, Meta(description="Número da tarefa.", examples=["4711"])]
    kind: Annotated[str, Meta(description="Tipo da tarefa.", examples=["crm_push"])]
    cpf: Annotated[
        str | None,
        Meta(
            description="CPF mascarado de quem a tarefa trata; nulo se não é de ninguém.", examples=["***.000.008-**"]
        ),
    ]
    fields: Annotated[list[str], Meta(description="Nomes dos campos que a tarefa leva.", examples=[["email"]])]
    attempts: Annotated[int, Meta(description="Tentativas desde que entrou na fila pela última vez.", examples=[8])]
    first_failed_at: Annotated[
        datetime | None, Meta(description="Primeira falha (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    last_failed_at: Annotated[
        datetime | None, Meta(description="Última falha (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    http_status: Annotated[
        int | None, Meta(description="Status que o outro sistema respondeu, se respondeu.", examples=[400])
    ]
    error_code: Annotated[str | None, Meta(description="Código da falha.", examples=["STRING_TOO_LONG"])]
    state: Annotated[State, Meta(description="Onde a tarefa está; `dead` quando falhou de vez.", examples=["dead"])]
    request_id: Annotated[
        str | None, Meta(description="`X-Request-ID` da chamada que a causou.", examples=["7f3c9a1e5b2d4c60"])
    ]


class DeadLetterDetail(DeadLetter):
    """A job with its failed attempts. `attempts_log` contains the ten most recent attempts, newest first."""

    attempts_log: Annotated[list[Try], Meta(description="As últimas dez tentativas, da mais nova à mais antiga.")]


class DeadLetterPage(msgspec.Struct):
    """A page of dead-lettered jobs."""

    data: Annotated[list[DeadLetter], Meta(description="Tarefas, da mais antiga à mais nova.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de tarefas.")]


class RetryJobsBody(msgspec.Struct):
    """Selects the jobs to put back into the queue."""

    kind: Annotated[str, Meta(description="Tipo das tarefas.", examples=["crm_push"])]
    error_code: Annotated[
        str | None, Meta(description="Só as que falharam com este código.", examples=["SERVER_UNAVAILABLE"])
    ] = None
    limit: Annotated[int, Meta(description="Quantas, de 1 a 1000.", examples=[100])] = 100


class RetriedJobs(msgspec.Struct):
    """The number of jobs that were put back."""

    retried: Annotated[int, Meta(description="Quantas tarefas voltaram à fila.", examples=[12])]
