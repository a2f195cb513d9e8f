"""Parameters of the operations on dead-lettered jobs."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.http.paging import PageQuery
from balcao.registry.members import CpfFilter


class DeadLetterQuery(PageQuery):
    """The filters for dead-lettered jobs."""

    kind: Annotated[str | None, Meta(description="Só as deste tipo.", examples=["crm_push"])] = None
    cpf: CpfFilter | None = None


class DropQuery(msgspec.Struct):
    """The reason for dropping a job."""

    reason: Annotated[
        str,
        Meta(
            min_length=3,
            max_length=200,
            description="Por que a tarefa é descartada.",
            examples=["Cadastro refeito à mão"],
        ),
    ]
