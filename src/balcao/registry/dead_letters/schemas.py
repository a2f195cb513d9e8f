"""Parameters of the operations on dead-lettered jobs."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.http.paging import PageQuery
from balcao.registry.members import CpfFilter


class DeadLetterQuery(PageQuery):
    """Which dead-lettered jobs to list."""

    kind: Annotated[str | None, Meta(description="Só as deste tipo.", examples=["crm_push"])] = None
    cpf: CpfFilter | None = None


class DropQuery(msgspec.Struct):
    """Why the job is dropped."""

    reason: Annotated[
        str,
        Meta(
            min_length=3,
            max_length=200,
            description="Por que a tarefa é descartada.",
            examples=["Cadastro refeito à mão"],
        ),
    ]
