"""Wire types for the queue (rules: registry 2.13)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta


class QueueOfKind(msgspec.Struct):
    """The number of jobs of one kind, by state."""

    kind: Annotated[str, Meta(description="Tipo da tarefa.", examples=["crm_push"])]
    queued: Annotated[int, Meta(description="À espera.", examples=[12])]
    running: Annotated[int, Meta(description="Em execução.", examples=[3])]
    dead: Annotated[int, Meta(description="Falharam de vez.", examples=[0])]
    oldest_due_seconds: Annotated[
        float | None, Meta(description="Espera da mais antiga já devida, em segundos; nulo se nenhuma.", examples=[1.5])
    ]


class Schedule(msgspec.Struct):
    """The schedule of a recurring job."""

    kind: Annotated[str, Meta(description="Tipo da tarefa.", examples=["platform.chain_audit"])]
    cron: Annotated[
        str, Meta(description="Quando roda: minuto, hora, dia, mês, dia da semana, em UTC.", examples=["*/5 * * * *"])
    ]
    last: Annotated[
        datetime | None,
        Meta(description="Último início (RFC 3339); nulo se ainda não houve.", examples=["2026-03-02T12:30:00Z"]),
    ]
    next: Annotated[
        datetime | None,
        Meta(
            description="Próximo início (RFC 3339); nulo antes do primeiro executor de tarefas.",
            examples=["2026-03-02T12:35:00Z"],
        ),
    ]


class Queues(msgspec.Struct):
    """The job counts and schedules of the whole platform."""

    data: Annotated[list[QueueOfKind], Meta(description="Todos os tipos de tarefa, por nome, também os sem tarefa.")]
    dead: Annotated[int, Meta(description="Tarefas de todos os tipos que falharam de vez.", examples=[0])]
    schedules: Annotated[list[Schedule], Meta(description="Tarefas periódicas, por nome.")]
