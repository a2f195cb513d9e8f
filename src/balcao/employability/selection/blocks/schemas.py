"""Wire types for blocks, which record refused attempts to apply (rules: employability 2.7)."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.employability.hiring.content.schemas import ID_EXAMPLE, JobId
from balcao.employability.lists import ListMeta, PageNumber
from balcao.employability.schemas import CreatedAt

MOST_CRITERIA, LONGEST_CRITERION = 20, 60
DEFAULT_PER_PAGE, MOST_PER_PAGE = 10, 1000
Failed = Annotated[list[str], Meta(description="Critérios a que a pessoa não atendia.", examples=[["idade_minima"]])]


class BlockBody(msgspec.Struct):
    """A refused attempt to apply for a job, as a portal reports it."""

    id_vaga: Annotated[str, Meta(description="A vaga (UUID).", examples=[ID_EXAMPLE])]
    criterios_nao_atendidos: Annotated[
        list[str],
        Meta(description="De 1 a 20 critérios, cada um de 1 a 60 caracteres.", examples=[["idade_minima"]]),
    ]
    cpf: Annotated[str | None, Meta(description="CPF de quem chama; pode faltar.", examples=["90000000418"])] = None


class Block(msgspec.Struct):
    """A refused attempt to apply for a job."""

    id: Annotated[UUID, Meta(description="Identificador (UUID).", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"])]
    cpf: Annotated[str, Meta(description="CPF da pessoa; mascarado para as demais.", examples=["90000000418"])]
    id_vaga: JobId
    criterios_nao_atendidos: Failed
    created_at: CreatedAt


class ExportedBlock(msgspec.Struct):
    """A refused attempt to apply for a job, in the person's export."""

    id_vaga: JobId
    criterios_nao_atendidos: Failed
    created_at: CreatedAt


class Blocks(msgspec.Struct):
    """A page of blocks."""

    data: Annotated[list[Block], Meta(description="Bloqueios da página, do mais novo ao mais antigo.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


class BlockQuery(msgspec.Struct, kw_only=True):
    cpf: Annotated[str | None, Meta(description="Só os desta pessoa.", examples=["90000000418"])] = None
    id_vaga: Annotated[str | None, Meta(description="Só os desta vaga (UUID).", examples=[ID_EXAMPLE])] = None
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int, Meta(description="Itens por página; acima de 1000 vale 1000.", examples=[DEFAULT_PER_PAGE])
    ] = DEFAULT_PER_PAGE
