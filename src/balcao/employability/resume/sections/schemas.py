"""Wire types for the resume's sections (rules: employability 3.6)."""

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.employability.lists import ListMeta
from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.schemas import CreatedAt, UpdatedAt

RowId = Annotated[
    UUID,
    Meta(description="Identificador (UUID), em minúsculas.", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"]),
]
OwnerCpf = Annotated[
    str, Meta(description="CPF do dono do currículo; mascarado para as demais pessoas.", examples=["90000000175"])
]
EducationStatus = Literal["Completo", "Em andamento", "Incompleto"]

JobTitle = Annotated[str, Meta(description="Cargo ou função, de 1 a 120 caracteres.", examples=["Recepcionista"])]
Employer = Annotated[
    str, Meta(description="Empresa ou empregador, de 1 a 120 caracteres.", examples=["Clínica Vila Clara"])
]
Activities = Annotated[
    str, Meta(description="Atividades, até 2000 caracteres; vazio se não informadas.", examples=["Agenda e recepção."])
]
IsCurrent = Annotated[bool, Meta(description="Se é o trabalho atual.", examples=[True])]
IsProven = Annotated[bool, Meta(description="Se está comprovada na carteira de trabalho.", examples=[False])]
Months = Annotated[int, Meta(description="Duração em meses, de 0 a 600; 0 quer dizer não informada.", examples=[14])]
SchoolingId = Annotated[
    UUID | None,
    Meta(description="Escolaridade, da tabela `escolaridades`.", examples=["371848f1-6464-5e65-85a1-16e57b607d8d"]),
]
Institution = Annotated[
    str | None, Meta(description="Instituição, até 120 caracteres.", examples=["Escola Técnica do Porto"])
]
OptionalCourse = Annotated[str | None, Meta(description="Curso, até 120 caracteres.", examples=["Enfermagem"])]
Course = Annotated[str, Meta(description="Curso, de 1 a 120 caracteres.", examples=["Primeiros socorros"])]
Status = Annotated[EducationStatus | None, Meta(description="Situação do curso.", examples=["Completo"])]
Year = Annotated[
    str | None, Meta(description="Ano de conclusão, 4 algarismos, de 1930 a daqui a 10 anos.", examples=["2019"])
]
LanguageId = Annotated[
    UUID, Meta(description="Idioma, da tabela `idiomas`.", examples=["371848f1-6464-5e65-85a1-16e57b607d8d"])
]
LevelId = Annotated[
    UUID, Meta(description="Nível, da tabela `niveis-idioma`.", examples=["371848f1-6464-5e65-85a1-16e57b607d8d"])
]
AchievementTypeId = Annotated[
    UUID | None,
    Meta(description="Tipo, da tabela `tipos-conquista`.", examples=["371848f1-6464-5e65-85a1-16e57b607d8d"]),
]
Title = Annotated[str, Meta(description="Título, de 1 a 120 caracteres.", examples=["Voluntária do ano"])]
OptionalDescription = Annotated[
    str | None, Meta(description="Descrição, até 2000 caracteres.", examples=["Campanha de 2024."])
]


class Experience(msgspec.Struct):
    """A work experience (spec: employability records).

    No member is null. If `tempo_experiencia_meses` is 0, the person did not provide it.
    """

    id: RowId
    cpf: OwnerCpf
    cargo: JobTitle
    empresa: Employer
    descricao_atividades: Activities
    eh_trabalho_atual: IsCurrent
    experiencia_comprovada_ct: IsProven
    tempo_experiencia_meses: Months
    created_at: CreatedAt
    updated_at: UpdatedAt


class ExperienceBody(msgspec.Struct):
    """A work experience in a request. Unknown members are ignored."""

    cargo: JobTitle
    empresa: Employer
    descricao_atividades: Activities = ""
    eh_trabalho_atual: IsCurrent = False
    experiencia_comprovada_ct: IsProven = False
    tempo_experiencia_meses: Months = 0


class Education(msgspec.Struct):
    """A course of formal education."""

    id: RowId
    cpf: OwnerCpf
    id_escolaridade: SchoolingId
    nome_instituicao: Institution
    nome_curso: OptionalCourse
    status: Status
    ano_conclusao: Year
    escolaridade: Annotated[ReferenceValue | None, Meta(description="A escolaridade; nula se não informada.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class EducationBody(msgspec.Struct):
    """A course of formal education in a request. An empty string counts as absent."""

    id_escolaridade: SchoolingId = None
    nome_instituicao: Institution = None
    nome_curso: OptionalCourse = None
    status: Status = None
    ano_conclusao: Year = None


class ResumeLanguage(msgspec.Struct):
    """A language, and the person's level."""

    id: RowId
    cpf: OwnerCpf
    id_idioma: LanguageId
    id_nivel: LevelId
    idioma: Annotated[ReferenceValue, Meta(description="O idioma.")]
    nivel: Annotated[ReferenceValue, Meta(description="O nível.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class ResumeLanguageBody(msgspec.Struct):
    """A language in a request. A resume contains each language at most once."""

    id_idioma: LanguageId
    id_nivel: LevelId


class ComplementaryCourse(msgspec.Struct):
    """A complementary course."""

    id: RowId
    cpf: OwnerCpf
    nome_curso: Course
    nome_instituicao: Institution
    ano_conclusao: Year
    created_at: CreatedAt
    updated_at: UpdatedAt


class ComplementaryCourseBody(msgspec.Struct):
    """A complementary course in a request. For optional members, an empty string counts as absent."""

    nome_curso: Course
    nome_instituicao: Institution = None
    ano_conclusao: Year = None


class Achievement(msgspec.Struct):
    """A certificate, an award or voluntary work."""

    id: RowId
    cpf: OwnerCpf
    id_tipo_conquista: AchievementTypeId
    titulo: Title
    descricao: OptionalDescription
    tipo_conquista: Annotated[ReferenceValue | None, Meta(description="O tipo; nulo se não informado.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class AchievementBody(msgspec.Struct):
    """An achievement in a request. For optional members, an empty string counts as absent."""

    titulo: Title
    id_tipo_conquista: AchievementTypeId = None
    descricao: OptionalDescription = None


class Experiences(msgspec.Struct):
    """The experiences of a resume: current jobs first, then the others, newest first."""

    data: Annotated[list[Experience], Meta(description="As experiências.")]
    meta: Annotated[ListMeta, Meta(description="Uma página com todas, e quantas são.")]


class Educations(msgspec.Struct):
    """The formal education of a resume, most recently finished first."""

    data: Annotated[list[Education], Meta(description="As formações.")]
    meta: Annotated[ListMeta, Meta(description="Uma página com todas, e quantas são.")]


class ResumeLanguages(msgspec.Struct):
    """The languages of a resume, newest first."""

    data: Annotated[list[ResumeLanguage], Meta(description="Os idiomas.")]
    meta: Annotated[ListMeta, Meta(description="Uma página com todos, e quantos são.")]


class ComplementaryCourses(msgspec.Struct):
    """The complementary courses of a resume, most recently finished first."""

    data: Annotated[list[ComplementaryCourse], Meta(description="Os cursos.")]
    meta: Annotated[ListMeta, Meta(description="Uma página com todos, e quantos são.")]


class Achievements(msgspec.Struct):
    """The achievements of a resume, newest first."""

    data: Annotated[list[Achievement], Meta(description="As conquistas.")]
    meta: Annotated[ListMeta, Meta(description="Uma página com todas, e quantas são.")]
