"""Wire types of the resume's experiences."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec

Months = Annotated[int, msgspec.Meta(ge=0, le=600)]


class Experience(msgspec.Struct):
    """An experience (spec: employability records). Nothing is null; `tempo_experiencia_meses` 0 means not informed."""

    id: UUID
    cpf: str
    cargo: str
    empresa: str
    descricao_atividades: str
    eh_trabalho_atual: bool
    experiencia_comprovada_ct: bool
    tempo_experiencia_meses: int
    created_at: datetime
    updated_at: datetime


class ExperienceBody(msgspec.Struct):
    """What the citizen tells of one experience."""

    cargo: str
    empresa: str
    descricao_atividades: str = ""
    eh_trabalho_atual: bool = False
    experiencia_comprovada_ct: bool = False
    tempo_experiencia_meses: Months = 0
