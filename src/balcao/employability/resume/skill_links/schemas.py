"""Wire types of a resume's links to skills in their areas of work."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.employability.lists import ListMeta
from balcao.employability.resume.sections.schemas import OwnerCpf
from balcao.employability.schemas import CreatedAt, UpdatedAt

SkillId = Annotated[int, Meta(description="A habilidade, pelo `id` do catálogo.", examples=[37])]
WorkAreaId = Annotated[int, Meta(description="A área de atuação, pelo `id` do catálogo.", examples=[8])]


class SkillLink(msgspec.Struct):
    """A skill that a person claims, in one of its areas."""

    id: Annotated[int, Meta(description="Identificador da ligação.", examples=[100001])]
    cpf: OwnerCpf
    id_area_atuacao_habilidade: Annotated[int, Meta(description="A habilidade na sua área.", examples=[37])]
    id_habilidade: SkillId
    habilidade: Annotated[str, Meta(description="Nome da habilidade.", examples=["Direção categoria D"])]
    id_area_atuacao: WorkAreaId
    area_atuacao: Annotated[str, Meta(description="Nome da área de atuação.", examples=["Logística"])]
    created_at: CreatedAt
    updated_at: UpdatedAt


class SkillLinks(msgspec.Struct):
    """A person's skills, newest first."""

    data: Annotated[list[SkillLink], Meta(description="As ligações, a mais nova primeiro.")]
    meta: Annotated[ListMeta, Meta(description="Uma página com todas, e quantas são.")]


class SkillLinkBody(msgspec.Struct):
    """Without `id_area_atuacao` the first area of the skill is meant."""

    id_habilidade: SkillId
    id_area_atuacao: WorkAreaId | None = None
