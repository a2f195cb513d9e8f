"""Wire types for the staff's list of applications (rules: employability 2.7, 3.4)."""

from typing import Annotated, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.employability.hiring.content.schemas import Step
from balcao.employability.lists import ListMeta
from balcao.employability.selection.applications.schemas import Application, StatusCounts
from balcao.employability.selection.applications.states import ApplicationStatus
from balcao.employability.selection.people.info import PersonalInfo


class Candidate(Application, kw_only=True):
    """An application in the staff's list."""

    personal_info: Annotated[
        PersonalInfo | None, Meta(description="O que o cadastro da cidade diz da pessoa; nulo se nada se sabe.")
    ]


class StepAndStatus(NamedTuple):
    """The number of applications at one step with one status. `step` is None for applications at no step."""

    step: UUID | None
    status: ApplicationStatus
    number: int


class StepCounts(msgspec.Struct):
    """The number of candidates at a step, in total and by status."""

    id_etapa: Annotated[UUID | None, Meta(description="A etapa (UUID); nula para quem não está em nenhuma.")]
    titulo: Annotated[str | None, Meta(description="Título da etapa.", examples=["Entrevista"])]
    ordem: Annotated[int | None, Meta(description="Lugar da etapa na vaga, a partir de 1.", examples=[1])]
    total: Annotated[int, Meta(description="Quantas pessoas estão nela.", examples=[12])]
    situacoes: Annotated[StatusCounts, Meta(description="Quantas delas há em cada situação.")]

    @classmethod
    def of(cls, step: Step | None, counts: StatusCounts) -> "StepCounts":
        """Create the counts for a step. If `step` is None, they are for the candidates who are at no step."""
        total = sum(msgspec.structs.astuple(counts))
        return (
            cls(None, None, None, total, counts)
            if step is None
            else cls(step.id, step.titulo, step.ordem, total, counts)
        )


class CandidateCounts(msgspec.Struct):
    """Counts of a job's candidates by step and status, without personal data."""

    total: Annotated[int, Meta(description="Candidaturas, sem as retiradas.", examples=[63])]
    etapas: Annotated[
        list[StepCounts], Meta(description="Primeiro quem não está em nenhuma etapa, depois cada etapa, em ordem.")
    ]


class Candidates(msgspec.Struct):
    """A page of the staff's list."""

    data: Annotated[list[Candidate], Meta(description="Candidaturas da página, da mais nova à mais antiga.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]
    resumo: Annotated[
        StatusCounts, Meta(description="Quantas há em cada situação, por todos os filtros menos o de situação.")
    ]
