"""Wire types of the resume's experiences."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.employability.schemas import CreatedAt, UpdatedAt

Months = Annotated[int, Meta(ge=0, le=600)]


class Experience(msgspec.Struct):
    """An experience (spec: employability records). Nothing is null; `tempo_experiencia_meses` 0 means not informed."""

    id: Annotated[
        UUID,
        Meta(description="Identificador (UUID), em minúsculas.", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"]),
    ]
    cpf: Annotated[
        str, Meta(description="CPF do dono do currículo; mascarado para as demais pessoas.", examples=["90000000175"])
    ]
    cargo: Annotated[str, Meta(description="Cargo ou função.", examples=["Recepcionista"])]
    empresa: Annotated[str, Meta(description="Empresa ou empregador.", examples=["Clínica Vila Clara"])]
    descricao_atividades: Annotated[
        str, Meta(description="Atividades; vazio se não informadas.", examples=["Agenda e recepção."])
    ]
    eh_trabalho_atual: Annotated[bool, Meta(description="Se é o trabalho atual.", examples=[True])]
    experiencia_comprovada_ct: Annotated[
        bool, Meta(description="Se está comprovada na carteira de trabalho.", examples=[False])
    ]
    tempo_experiencia_meses: Annotated[
        int, Meta(description="Duração em meses; 0 quer dizer não informada.", examples=[14])
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt


class ExperienceBody(msgspec.Struct):
    """What a citizen states of one experience."""

    cargo: str
    empresa: str
    descricao_atividades: str = ""
    eh_trabalho_atual: bool = False
    experiencia_comprovada_ct: bool = False
    tempo_experiencia_meses: Months = 0
