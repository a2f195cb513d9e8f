"""Wire types for a person's situation and the kind of work that they are looking for."""

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.resume.sections.schemas import OwnerCpf
from balcao.employability.schemas import CreatedAt, UpdatedAt

SearchingFor = Annotated[
    Literal["UP_TO_6", "FROM_7_TO_12", "FROM_13_TO_24", "OVER_24"] | None,
    Meta(description="Há quantos meses procura emprego.", examples=["UP_TO_6"]),
]
SituationId = Annotated[
    UUID | None,
    Meta(description="Situação, da tabela `situacoes-atual`.", examples=["371848f1-6464-5e65-85a1-16e57b607d8d"]),
]
AvailabilityId = Annotated[
    UUID | None,
    Meta(
        description="Disponibilidade, da tabela `disponibilidades`.", examples=["371848f1-6464-5e65-85a1-16e57b607d8d"]
    ),
]
Contracts = Annotated[
    list[UUID],
    Meta(
        description="Regimes preferidos, da tabela `regimes-contratacao`, no máximo 20.",
        examples=[["4501bc88-fb37-5c16-a84b-e864c62433cf"]],
    ),
]


class JobSearch(msgspec.Struct):
    """A person's situation and interests. Each person has at most one record."""

    cpf: OwnerCpf
    id_situacao: SituationId
    id_disponibilidade: AvailabilityId
    tempo_procurando_emprego: SearchingFor
    ids_tipos_vinculo_preferencia: Contracts
    situacao: Annotated[ReferenceValue | None, Meta(description="A situação; nula se não informada.")]
    disponibilidade: Annotated[ReferenceValue | None, Meta(description="A disponibilidade; nula se não informada.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class JobSearchBody(msgspec.Struct):
    """A complete record to save. A member that is not sent clears the stored value.

    `cpf`, if it is sent, must be the caller's own.
    """

    cpf: Annotated[str | None, Meta(description="CPF de quem chama, se enviado.", examples=["90000000175"])] = None
    id_situacao: SituationId = None
    id_disponibilidade: AvailabilityId = None
    tempo_procurando_emprego: SearchingFor = None
    ids_tipos_vinculo_preferencia: Contracts | None = None
