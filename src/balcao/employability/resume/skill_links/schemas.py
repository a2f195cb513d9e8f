"""Wire types of a resume's links to skills in their areas of work."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.employability.resume.sections.schemas import OwnerCpf
from balcao.employability.schemas import CreatedAt, UpdatedAt


class SkillLink(msgspec.Struct):
    """A skill that a person claims, in one of its areas."""

    id: Annotated[int, Meta(description="Identificador da ligação.", examples=[100001])]
    cpf: OwnerCpf
    id_area_atuacao_habilidade: Annotated[int, Meta(description="A habilidade na sua área.", examples=[37])]
    id_habilidade: Annotated[int, Meta(description="A habilidade.", examples=[37])]
    habilidade: Annotated[str, Meta(description="Nome da habilidade.", examples=["Direção categoria D"])]
    id_area_atuacao: Annotated[int, Meta(description="A área de atuação.", examples=[8])]
    area_atuacao: Annotated[str, Meta(description="Nome da área de atuação.", examples=["Logística"])]
    created_at: CreatedAt
    updated_at: UpdatedAt
