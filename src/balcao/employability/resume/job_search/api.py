"""Routes for a person's situation and the kind of work that they are looking for."""

from balcao.core.access.rules import authenticated, own
from balcao.core.audit.personal_data import PersonalData
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import CallersCpf, CpfInPath
from balcao.core.http.responses import Response, personal, stored
from balcao.employability.reference_values.kinds import Kind, seed_value_id
from balcao.employability.resume.job_search import service
from balcao.employability.resume.job_search.schemas import JobSearch, JobSearchBody
from balcao.employability.routes import ROUTES

BASE = "/api/v1/empregabilidade/curriculo"
EXAMPLE = {
    "id_situacao": str(seed_value_id(Kind.CURRENT_SITUATION, "Desempregado(a)")),
    "id_disponibilidade": str(seed_value_id(Kind.AVAILABILITY, "Imediato")),
    "tempo_procurando_emprego": "UP_TO_6",
    "ids_tipos_vinculo_preferencia": [str(seed_value_id(Kind.CONTRACT_TYPE, "CLT"))],
}

routes = ROUTES.extend(tags=["resume"], body_limit=FORM_BODY)


@routes.put(
    f"{BASE}/situacao-interesses",
    "employability.save_job_search",
    authenticated(),
    "Substitui a própria situação e interesses",
    example=EXAMPLE,
    rate="60/minute",
)
async def put_job_search(call: Call, person: CallersCpf, body: JobSearchBody) -> Response[JobSearch]:
    """Substitui a situação e os interesses de quem chama e os devolve. Um membro ausente fica vazio. O token precisa
    identificar uma pessoa, e um `cpf` no corpo deve ser o dela (senão, 403).
    """
    return stored(await service.save_job_search(call.as_owner(), person, body))


@routes.get(
    f"{BASE}/{{cpf}}/situacao-interesses",
    "employability.read_job_search",
    own("resume:read_any"),
    "Situação e interesses de uma pessoa",
    errors=[304, 400],
)
async def get_job_search(call: Call, cpf: CpfInPath) -> Response[JobSearch]:
    """Devolve a situação e os interesses do currículo, ou 404 se nada foi informado. Disponível para a própria pessoa e
    para quem tem a ação `resume:read_any`. Para outra pessoa, o CPF vem mascarado e a leitura fica na auditoria.
    """
    return personal(await service.read_job_search(call, cpf), call)


FEATURE = Feature(
    routes=routes.declared,
    personal_data=PersonalData(
        "resume_job_search", tables=("employability.job_search", "employability.preferred_contract")
    ),
    exports=Exports(tables=("employability.job_search", "employability.preferred_contract")),
)
