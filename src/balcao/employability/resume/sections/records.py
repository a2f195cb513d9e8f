"""Declarations of the five sections of a resume: the types of a row, its checks, its table and its sort order."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec

from balcao.core.errors import Invalid
from balcao.core.values.clock import utc_now
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.resume.sections.schemas import (
    Achievement,
    AchievementBody,
    ComplementaryCourse,
    ComplementaryCourseBody,
    Education,
    EducationBody,
    Experience,
    ExperienceBody,
    ResumeLanguage,
    ResumeLanguageBody,
)
from balcao.employability.texts import clean_line, clean_optional_line, clean_optional_prose, clean_prose

LONGEST_NAME = 120
LONGEST_PROSE = 2000
MOST_MONTHS = 600
FIRST_YEAR = 1930
YEARS_AHEAD = 10


@dataclass(frozen=True)
class Reference:
    """A column with the id of a reference value. Responses contain the whole value as `member`."""

    kind: Kind
    member: str


@dataclass(frozen=True, eq=False)
class Section:
    """A section of a resume.

    `path` is the section's name on the wire, `order` is an ORDER BY list, and `most` is the maximum number of rows of a
    person. A person's rows must have different values in the column `once`. `one` is a singular noun with its article.
    """

    path: str
    table: str
    record: type[Any]
    body: type[Any]
    check: Callable[[Any], Any]
    order: str
    most: int
    one: str
    references: Mapping[str, Reference] = field(default_factory=dict)
    once: str | None = None

    def __str__(self) -> str:
        """Return the section's path, which identifies its statements."""
        return self.path

    @property
    def member(self) -> str:
        """Return the section's name as a member of the complete resume."""
        return self.path.replace("-", "_")

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns that the person fills in."""
        return tuple(self.body.__struct_fields__)

    def values(self, row: Any) -> tuple[Any, ...]:
        """Return the values of `columns`, from a body or a stored row."""
        return tuple(getattr(row, column) for column in self.columns)


def _check_experience(body: ExperienceBody) -> ExperienceBody:
    if not 0 <= body.tempo_experiencia_meses <= MOST_MONTHS:
        text = f"O campo `tempo_experiencia_meses` deve ser um número inteiro de 0 a {MOST_MONTHS}."
        raise Invalid(text, code="tempo_experiencia_meses-invalid")
    return msgspec.structs.replace(
        body,
        cargo=clean_line("cargo", body.cargo, LONGEST_NAME),
        empresa=clean_line("empresa", body.empresa, LONGEST_NAME),
        descricao_atividades=clean_prose("descricao_atividades", body.descricao_atividades, LONGEST_PROSE),
    )


def _check_education(body: EducationBody) -> EducationBody:
    return msgspec.structs.replace(
        body,
        nome_instituicao=clean_optional_line("nome_instituicao", body.nome_instituicao, LONGEST_NAME),
        nome_curso=clean_optional_line("nome_curso", body.nome_curso, LONGEST_NAME),
        ano_conclusao=_check_year(body.ano_conclusao),
    )


def _check_course(body: ComplementaryCourseBody) -> ComplementaryCourseBody:
    return msgspec.structs.replace(
        body,
        nome_curso=clean_line("nome_curso", body.nome_curso, LONGEST_NAME),
        nome_instituicao=clean_optional_line("nome_instituicao", body.nome_instituicao, LONGEST_NAME),
        ano_conclusao=_check_year(body.ano_conclusao),
    )


def _check_achievement(body: AchievementBody) -> AchievementBody:
    return msgspec.structs.replace(
        body,
        titulo=clean_line("titulo", body.titulo, LONGEST_NAME),
        descricao=clean_optional_prose("descricao", body.descricao, LONGEST_PROSE),
    )


def _check_year(text: str | None) -> str | None:
    if text is None or not text.strip():
        return None
    year, last = text.strip(), utc_now().year + YEARS_AHEAD
    if not re.fullmatch(r"[0-9]{4}", year) or not FIRST_YEAR <= int(year) <= last:
        raise Invalid(
            f"O campo `ano_conclusao` deve ser um ano de {FIRST_YEAR} a {last}.", code="ano_conclusao-invalid"
        )
    return year


def demo_row_id(section: Section, number: int = 1) -> UUID:
    """Return the id of a row of the sandbox's resume. API descriptions use it as an example."""
    return uuid5(NAMESPACE_URL, f"balcao:demo:{section.path}:{number}")


_NEWEST = "created_at DESC, id DESC"
_LAST_FINISHED = f"ano_conclusao DESC NULLS LAST, {_NEWEST}"

EDUCATION = Section(
    path="formacoes",
    table="employability.education",
    record=Education,
    body=EducationBody,
    check=_check_education,
    order=_LAST_FINISHED,
    most=30,
    one="uma formação",
    references={"id_escolaridade": Reference(Kind.SCHOOLING, "escolaridade")},
)
LANGUAGES = Section(
    path="idiomas",
    table="employability.resume_language",
    record=ResumeLanguage,
    body=ResumeLanguageBody,
    check=lambda body: body,
    order=_NEWEST,
    most=20,
    one="um idioma",
    references={
        "id_idioma": Reference(Kind.LANGUAGE, "idioma"),
        "id_nivel": Reference(Kind.LANGUAGE_LEVEL, "nivel"),
    },
    once="id_idioma",
)
COURSES = Section(
    path="cursos-complementares",
    table="employability.course",
    record=ComplementaryCourse,
    body=ComplementaryCourseBody,
    check=_check_course,
    order=_LAST_FINISHED,
    most=50,
    one="um curso complementar",
)
EXPERIENCES = Section(
    path="experiencias",
    table="employability.experience",
    record=Experience,
    body=ExperienceBody,
    check=_check_experience,
    order=f"eh_trabalho_atual DESC, {_NEWEST}",
    most=50,
    one="uma experiência",
)
ACHIEVEMENTS = Section(
    path="conquistas",
    table="employability.achievement",
    record=Achievement,
    body=AchievementBody,
    check=_check_achievement,
    order=_NEWEST,
    most=50,
    one="uma conquista",
    references={"id_tipo_conquista": Reference(Kind.ACHIEVEMENT_TYPE, "tipo_conquista")},
)
SECTIONS = (EDUCATION, LANGUAGES, COURSES, EXPERIENCES, ACHIEVEMENTS)
