"""Routes for the resume's sections, generated from the declaration of each section."""

from typing import Annotated, Any
from uuid import UUID

from balcao.core.access.rules import authenticated, own
from balcao.core.audit.personal_data import PersonalData
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import CallersCpf, CpfInPath
from balcao.core.http.responses import Response, created, personal, stored
from balcao.core.values.page import Page
from balcao.employability.lists import ListMeta
from balcao.employability.paths import uuid_in_path
from balcao.employability.reference_values.kinds import Kind, seed_value_id
from balcao.employability.resume.sections import service
from balcao.employability.resume.sections.records import (
    ACHIEVEMENTS,
    COURSES,
    EDUCATION,
    EXPERIENCES,
    LANGUAGES,
    SECTIONS,
    Section,
    demo_row_id,
)
from balcao.employability.resume.sections.schemas import (
    Achievements,
    ComplementaryCourses,
    Educations,
    Experiences,
    ResumeLanguages,
)
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade/curriculo"
RATE = "60/minute"

routes = ROUTES.extend(tags=["resume"], body_limit=FORM_BODY)


def declare_resume_section(section: Section, key: str, plural_key: str, listed: type[Any], example: Any) -> None:
    """Declare the operations on the rows of one section. `listed` is the response type of the operation that lists
    them.
    """
    record, kind = section.record, section.body
    row_id = Annotated[UUID, uuid_in_path(demo_row_id(section))]

    @routes.get(
        f"{BASE}/{{cpf}}/{section.path}",
        f"employability.list_{plural_key}",
        own(service.READ_ANY),
        f"Do currículo: {section.path.replace('-', ' ')}",
        description=(
            f"Devolve todos os itens da seção `{section.member}` do currículo, na ordem em que se mostram. Para a "
            "própria pessoa e para quem tem a ação `resume:read_any`, que vê o CPF mascarado e fica na auditoria."
        ),
        errors=[304, 400],
    )
    async def list_rows(call: Call, cpf: CpfInPath) -> Response[listed]:  # type: ignore[valid-type]
        return personal(enlist(listed, section, await service.list_rows(call, section, cpf)), call)

    @routes.post(
        f"{BASE}/{section.path}",
        f"employability.create_{key}",
        authenticated(),
        f"Acrescenta {section.one} ao próprio currículo",
        description=(
            f"Acrescenta {section.one} ao currículo de quem chama e a devolve. O token precisa identificar uma pessoa. "
            f"Um currículo tem no máximo {section.most} itens nesta seção (409)."
        ),
        example=example,
        status=201,
        errors=[400, 409],
        rate=RATE,
    )
    async def create_row(call: Call, person: CallersCpf, body: kind) -> Response[record]:  # type: ignore[valid-type]
        return created(await service.create_row(call.as_owner(), section, person, body))

    @routes.get(
        f"{BASE}/{section.path}/{{id}}",
        f"employability.read_{key}",
        authenticated().testing(service.READ_ANY),
        f"Do currículo: {section.one}",
        description=(
            f"Devolve {section.one} do próprio currículo. Quem tem a ação `resume:read_any` lê as de outras pessoas, "
            "com o CPF mascarado e registro na auditoria; para os demais, o item de outra pessoa não existe (404)."
        ),
        errors=[304, 400, 404],
    )
    async def read_row(call: Call, id: row_id) -> Response[record]:  # type: ignore[valid-type]
        return personal(await service.read_row(call, section, id), call)

    @routes.put(
        f"{BASE}/{section.path}/{{id}}",
        f"employability.replace_{key}",
        authenticated().testing(service.WRITE_ANY),
        f"Altera {section.one} do próprio currículo",
        description=(
            f"Substitui {section.one} e devolve o que foi gravado. Para a própria pessoa e para quem tem a ação "
            "`resume:write_any`; para os demais, o item não existe (404)."
        ),
        example=example,
        errors=[400, 404, 409] if section.once else [400, 404],
        rate=RATE,
    )
    async def replace_row(call: Call, id: row_id, body: kind) -> Response[record]:  # type: ignore[valid-type]
        return stored(await service.replace_row(call, section, id, body))

    @routes.delete(
        f"{BASE}/{section.path}/{{id}}",
        f"employability.delete_{key}",
        authenticated().testing(service.WRITE_ANY),
        f"Retira {section.one} do próprio currículo",
        description=(
            f"Retira {section.one}. Para a própria pessoa e para quem tem a ação `resume:write_any`; para os demais, o "
            "item não existe (404)."
        ),
        errors=[400, 404],
        rate=RATE,
    )
    async def delete_row(call: Call, id: row_id) -> Message:
        return await service.delete_row(call, section, id)


def declare_save(section: Section, key: str, listed: type[Any], example: Any) -> None:
    """Declare the operation that replaces a whole section. Its request body is a bare array."""
    kind = section.body

    @routes.put(
        f"{BASE}/{{cpf}}/{section.path}",
        key,
        own(service.WRITE_ANY),
        f"Substitui do currículo: {section.path.replace('-', ' ')}",
        description=(
            f"Substitui a seção `{section.member}` pelos itens enviados e a devolve; um item igual ao gravado mantém o "
            "seu `id`. Se um item não vale, nada muda. Para a própria pessoa e para quem tem a ação `resume:write_any`."
        ),
        example=[example],
        errors=[400],
        rate=RATE,
    )
    async def save_section(call: Call, cpf: CpfInPath, body: list[kind]) -> Response[listed]:  # type: ignore[valid-type]
        return stored(enlist(listed, section, await service.save_section(call, section, cpf, body)))


def enlist(listed: type[Any], section: Section, rows: list[Any]) -> Any:
    """Wrap the rows in a `listed` response, which always has one page."""
    return listed(rows, ListMeta.of(Page(1, section.most), len(rows)))


_EDUCATION = {"nome_curso": "Enfermagem", "nome_instituicao": "Escola Técnica do Porto", "ano_conclusao": "2019"}
_LANGUAGE = {
    "id_idioma": str(seed_value_id(Kind.LANGUAGE, "Inglês")),
    "id_nivel": str(seed_value_id(Kind.LANGUAGE_LEVEL, "Avançado")),
}
_COURSE = {"nome_curso": "Primeiros socorros", "ano_conclusao": "2021"}
_EXPERIENCE = {"cargo": "Recepcionista", "empresa": "Clínica Vila Clara", "tempo_experiencia_meses": 14}
_ACHIEVEMENT = {"titulo": "Voluntária do ano", "descricao": "Campanha do agasalho."}

declare_resume_section(EDUCATION, "education", "education", Educations, _EDUCATION)
declare_resume_section(LANGUAGES, "resume_language", "resume_languages", ResumeLanguages, _LANGUAGE)
declare_resume_section(COURSES, "course", "courses", ComplementaryCourses, _COURSE)
declare_resume_section(EXPERIENCES, "experience", "experiences", Experiences, _EXPERIENCE)
declare_resume_section(ACHIEVEMENTS, "achievement", "achievements", Achievements, _ACHIEVEMENT)
declare_save(LANGUAGES, "employability.save_languages", ResumeLanguages, _LANGUAGE)
declare_save(COURSES, "employability.save_courses", ComplementaryCourses, _COURSE)
declare_save(ACHIEVEMENTS, "employability.save_achievements", Achievements, _ACHIEVEMENT)


PERSONAL_DATA = PersonalData("resume_sections", tables=tuple(section.table for section in SECTIONS))


FEATURE = Feature(
    routes=routes.declared,
    personal_data=PERSONAL_DATA,
    exports=Exports(
        tables=(
            "employability.education",
            "employability.resume_language",
            "employability.course",
            "employability.experience",
            "employability.achievement",
        )
    ),
)
