"""Wire types for the complete resume, and for calls that save several sections."""

from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from balcao.employability.resume.job_search.schemas import JobSearch
from balcao.employability.resume.links.schemas import BehaviourLink, SkillLink
from balcao.employability.resume.sections.schemas import (
    Achievement,
    AchievementBody,
    ComplementaryCourse,
    Education,
    EducationBody,
    Experience,
    ExperienceBody,
    ResumeLanguage,
    ResumeLanguageBody,
)

Summary = Annotated[
    str, Meta(description="O que a pessoa diz de si, até 2000 caracteres.", examples=["Recepcionista há cinco anos."])
]
EducationRows = Annotated[list[Education], Meta(description="Formações, a última concluída primeiro.")]
LanguageRows = Annotated[list[ResumeLanguage], Meta(description="Idiomas, o mais novo primeiro.")]
CourseRows = Annotated[
    list[ComplementaryCourse], Meta(description="Cursos complementares, o último concluído primeiro.")
]
ExperienceRows = Annotated[list[Experience], Meta(description="Experiências: a atual primeiro, depois a mais nova.")]
AchievementRows = Annotated[list[Achievement], Meta(description="Conquistas, a mais nova primeiro.")]
BehaviourRows = Annotated[list[BehaviourLink], Meta(description="Comportamentos e atitudes, o mais novo primeiro.")]
SkillRows = Annotated[list[SkillLink], Meta(description="Habilidades nas suas áreas, a mais nova primeiro.")]


class Resume(msgspec.Struct):
    """A person's complete resume."""

    formacoes: EducationRows
    idiomas: LanguageRows
    cursos_complementares: CourseRows
    experiencias: ExperienceRows
    conquistas: AchievementRows
    situacao_interesses: Annotated[JobSearch | None, Meta(description="Situação e interesses; nulo se não informados.")]
    resumo_profissional: Summary
    comportamento_atitudes: BehaviourRows
    area_atuacao_habilidade: SkillRows


class StoredResume(NamedTuple):
    """A resume, and the version of its root. `version` is None if the person has no root."""

    content: Resume
    version: int | None


class EducationSave(msgspec.Struct):
    """The education and languages to save. An absent list leaves its section unchanged, and an empty list clears it."""

    formacoes: Annotated[list[EducationBody] | None, Meta(description="Todas as formações, no máximo 30.")] = None
    idiomas: Annotated[list[ResumeLanguageBody] | None, Meta(description="Todos os idiomas, no máximo 20.")] = None


class SavedEducation(msgspec.Struct):
    formacoes: EducationRows
    idiomas: LanguageRows


class ExperienceSave(msgspec.Struct):
    """The experiences, achievements and summary to save. An absent list leaves its section unchanged.

    Without `resumo_profissional`, the summary is cleared.
    """

    experiencias: Annotated[list[ExperienceBody] | None, Meta(description="Todas as experiências, no máximo 50.")] = (
        None
    )
    conquistas: Annotated[list[AchievementBody] | None, Meta(description="Todas as conquistas, no máximo 50.")] = None
    resumo_profissional: Summary | None = None


class SavedExperience(msgspec.Struct):
    experiencias: ExperienceRows
    conquistas: AchievementRows
    resumo_profissional: Summary


class LinksSave(msgspec.Struct):
    """The links to save. An absent list leaves its links unchanged, and an empty list removes them."""

    comportamento_atitudes_ids: Annotated[
        list[int] | None, Meta(description="Todos os comportamentos, por id do catálogo.", examples=[[1, 4]])
    ] = None
    area_atuacao_habilidade_ids: Annotated[
        list[int] | None, Meta(description="Todas as habilidades em suas áreas.", examples=[[37]])
    ] = None


class Links(msgspec.Struct):
    comportamento_atitudes: BehaviourRows
    area_atuacao_habilidade: SkillRows


class SavedLinks(msgspec.Struct):
    data: Annotated[Links, Meta(description="As ligações como ficaram.")]
