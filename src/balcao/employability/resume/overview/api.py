"""Routes for the complete resume."""

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

# The body limit is large, because fifty experiences with long texts need several hundred kilobytes.
routes = ROUTES.extend(tags=["resume"], body_limit=MIB)


@routes.get(
    f"{BASE}/{{cpf}}",
    "employability.read_resume",
    own(READ_ANY),
    "Currículo completo de uma pessoa",
    errors=[304, 400],
)
async def get_resume(call: Call, cpf: CpfInPath) -> Response[Resume]:
    """Devolve todas as seções do currículo. Se a pessoa não tem currículo, as listas vêm vazias. Disponível para a
    própria pessoa e para quem tem a ação `resume:read_any`. Para outra pessoa, o CPF vem mascarado e a leitura fica na
    auditoria.
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
    """Substitui as formações e os idiomas pelos itens enviados e os devolve. Um item igual ao gravado mantém o seu
    `id`. Uma lista ausente não muda a seção; uma lista vazia a esvazia. Se um item é inválido, nada muda.
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
    """Substitui as experiências, as conquistas e o resumo profissional pelo que foi enviado e os devolve. Um item igual
    ao gravado mantém o seu `id`. Uma lista ausente não muda a seção; sem `resumo_profissional`, o resumo fica vazio. Se
    um item é inválido, nada muda.
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
    """Substitui os comportamentos e as habilidades do currículo de quem chama e os devolve. As ligações que continuam
    mantêm o seu `id`. Uma lista ausente não muda nada. O token precisa identificar uma pessoa.
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
