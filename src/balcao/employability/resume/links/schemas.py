"""Wire types for a resume's links to behaviours, and to skills in their work areas."""

from typing import Annotated, Self

import msgspec
from msgspec import Meta

from balcao.core.database.pool import Row
from balcao.employability.lists import ListMeta
from balcao.employability.resume.sections.schemas import OwnerCpf
from balcao.employability.schemas import CreatedAt, UpdatedAt

LinkId = Annotated[int, Meta(description="Identificador da ligação, não do item do catálogo.", examples=[100001])]
BehaviourId = Annotated[int, Meta(description="Identificador no catálogo de comportamentos e atitudes.", examples=[4])]
SkillId = Annotated[int, Meta(description="A habilidade, pelo `id` do catálogo.", examples=[37])]
WorkAreaId = Annotated[int, Meta(description="A área de atuação, pelo `id` do catálogo.", examples=[8])]


class Behaviour(msgspec.Struct):
    """A behaviour or attitude in the catalogue."""

    id: BehaviourId
    nome: Annotated[str, Meta(description="Nome mostrado às pessoas.", examples=["Resolução de problemas"])]
    created_at: CreatedAt
    updated_at: UpdatedAt


class BehaviourLink(msgspec.Struct):
    """A behaviour that a person claims. `id` is the id of the link, not of the catalogue entry."""

    id: LinkId
    cpf: OwnerCpf
    id_comportamento_atitudes: BehaviourId
    comportamento_atitudes: Annotated[Behaviour, Meta(description="O item do catálogo.")]
    created_at: CreatedAt
    updated_at: UpdatedAt

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """Create the link from a row. The columns `nome` and `behaviour_*` describe the catalogue entry."""
        entry = Behaviour(row["behaviour_id"], row["nome"], row["behaviour_created_at"], row["behaviour_updated_at"])
        return cls(row["id"], row["cpf"], entry.id, entry, row["created_at"], row["updated_at"])


class BehaviourLinks(msgspec.Struct):
    """A person's behaviours, newest first."""

    data: Annotated[list[BehaviourLink], Meta(description="As ligações, a mais nova primeiro.")]
    meta: Annotated[ListMeta, Meta(description="Uma página com todas, e quantas são.")]


class BehaviourLinkBody(msgspec.Struct):
    id_comportamento_atitudes: BehaviourId


class SkillLink(msgspec.Struct):
    """A skill that a person claims, in one of its work areas."""

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
    """A skill to add. Without `id_area_atuacao`, the skill's first work area is used."""

    id_habilidade: SkillId
    id_area_atuacao: WorkAreaId | None = None
