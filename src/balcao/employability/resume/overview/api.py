"""Routes of the complete resume."""

from balcao.core.access.rules import authenticated, own
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_rows
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.feature import Feature
from balcao.core.http.operations import MIB
from balcao.core.http.parameters import CallersCpf, CpfInPath
from balcao.core.http.responses import Response, personal, stored
from balcao.core.values.cpf import Cpf
from balcao.employability.resume.overview import service
from balcao.employability.resume.overview.schemas import (
    EducationSave,
    ExperienceSave,
    LinksSave,
    Resume,
    SavedEducation,
    SavedExperience,
    SavedLinks,
)
from balcao.employability.resume.overview.store import read_stored_resume
from balcao.employability.resume.profiles.store import delete_resume
from balcao.employability.resume.sections.service import READ_ANY, WRITE_ANY
from balcao.employability.routes import ROUTES

BASE = "/api/v1/empregabilidade/curriculo"
RATE = "60/minute"

# Fifty experiences with long texts need several hundred kilobytes.
routes = ROUTES.extend(tags=["resume"], body_limit=MIB)


@routes.get(
    f"{BASE}/{{cpf}}",
    "employability.read_resume",
    own(READ_ANY),
    "Currículo completo de uma pessoa",
    errors=[304, 400],
)
async def get_resume(call: Call, cpf: CpfInPath) -> Response[Resume]:
    """Devolve todas as seções do currículo; de quem não tem um, listas vazias. Para a própria pessoa e para quem tem a
    ação `resume:read_any`, que vê o CPF mascarado e fica na auditoria.
    """
    return personal(await service.read_resume(call, cpf), call)


@routes.put(
    f"{BASE}/{{cpf}}/formacoes",
    "employability.save_education",
    own(WRITE_ANY),
    "Substitui formações e idiomas",
    example={"formacoes": [{"nome_curso": "Enfermagem", "status": "Completo", "ano_conclusao": "2019"}]},
    rate=RATE,
)
async def put_education(call: Call, cpf: CpfInPath, body: EducationSave) -> Response[SavedEducation]:
    """Substitui as duas seções pelos itens enviados e as devolve; um item igual ao gravado mantém o seu `id`. Uma lista
    ausente fica como está, uma vazia esvazia a seção. Se um item não vale, nada muda.
    """
    return stored(await service.save_education(call, cpf, body))


@routes.put(
    f"{BASE}/{{cpf}}/experiencias",
    "employability.save_experience",
    own(WRITE_ANY),
    "Substitui experiências, conquistas e resumo profissional",
    example={
        "experiencias": [{"cargo": "Recepcionista", "empresa": "Clínica Vila Clara", "eh_trabalho_atual": True}],
        "resumo_profissional": "Recepcionista há cinco anos.",
    },
    rate=RATE,
)
async def put_experience(call: Call, cpf: CpfInPath, body: ExperienceSave) -> Response[SavedExperience]:
    """Substitui as duas seções e o texto pelo que foi enviado e os devolve; um item igual ao gravado mantém o seu `id`.
    Uma lista ausente fica como está; sem `resumo_profissional` o texto fica vazio. Se um item não vale, nada muda.
    """
    return stored(await service.save_experience(call, cpf, body))


@routes.put(
    BASE,
    "employability.save_links",
    authenticated(),
    "Substitui comportamentos e habilidades do próprio currículo",
    example={"comportamento_atitudes_ids": [1, 4], "area_atuacao_habilidade_ids": [37]},
    rate=RATE,
)
async def put_links(call: Call, person: CallersCpf, body: LinksSave) -> Response[SavedLinks]:
    """Substitui as ligações do currículo de quem chama com os dois catálogos e as devolve; as que ficam mantêm o seu
    `id`. Uma lista ausente fica como está. O token precisa identificar uma pessoa.
    """
    return stored(await service.save_links(call.as_owner(), person, body))


async def _read_exported(connection: Connection, cpf: Cpf) -> Resume:
    resume, _ = await read_stored_resume(connection, cpf)
    return resume


PERSONAL_DATA = PersonalData(
    "resume",
    [ExportMember("curriculo", Resume, "O currículo da pessoa, com todas as suas seções.", 200, _read_exported)],
    erase_rows("resume", delete_resume, Resume.__struct_fields__),
)
FEATURE = Feature(routes=routes.declared, personal_data=PERSONAL_DATA)
