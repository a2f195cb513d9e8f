"""Routes for jobs, used by staff."""

from typing import Annotated
from uuid import UUID

from balcao.core.access.reach import ANY_DEPARTMENT
from balcao.core.access.rules import Rule, action, authenticated
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import InQuery
from balcao.core.http.responses import Response, created, personal, stored
from balcao.core.values.page import Page
from balcao.employability.hiring.content.schemas import JobBody
from balcao.employability.hiring.listings import service
from balcao.employability.hiring.listings.schemas import (
    HISTORY_DEFAULT,
    HISTORY_MOST,
    History,
    HistoryQuery,
    JobChanged,
    NewJobQuery,
    StaffJob,
    TransitionBody,
    parse_first_event,
    read_reason,
)
from balcao.employability.hiring.listings.states import TRANSITIONS, Event, Transition
from balcao.employability.hiring.paths import JobInPath, job_in_path
from balcao.employability.lists import parse_list_page
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message

BASE = "/api/v1/empregabilidade/vagas"
RATE = "60/minute"
EXAMPLE = {
    "titulo": "Padeiro",
    "descricao": "Preparo de pães na madrugada.",
    "id_contratante": "90000001000129",
    "id_regime_contratacao": "4501bc88-fb37-5c16-a84b-e864c62433cf",
    "id_modelo_trabalho": "5d0df749-5a5c-57b8-82b0-d6bda6a922f2",
    "id_orgao_parceiro": "1100",
    "bairro": "Centro",
    "data_limite": "2099-12-01",
    "requisitos": "Experiência com panificação.",
    "responsabilidades": "Preparar massas e cuidar dos fornos.",
    "valor_vaga": 2100.5,
    "etapas": [{"titulo": "Entrevista", "descricao": "Conversa na padaria."}],
    "informacoes_complementares": [
        {"titulo": "Você pode trabalhar à noite?", "tipo_campo": "selecao_unica", "opcoes": ["Sim", "Não"]}
    ],
}
# For each event, the sandbox job that serves as its example. The job's state allows the event.
EXAMPLES = {
    Event.SEND_TO_APPROVAL: "V6",
    Event.SEND_TO_DRAFT: "V6",
    Event.PUBLISH: "V7",
    Event.FREEZE: "V5",
    Event.UNFREEZE: "V3",
    Event.DISCONTINUE: "V2",
    Event.REACTIVATE: "V8",
}
REACH = "Sem `job_listing:any_department`, só alcança as vagas dos próprios órgãos e os próprios rascunhos sem órgão."

routes = ROUTES.extend(tags=["jobs"])


FirstEvent = Annotated[Event | None, InQuery(parse_first_event, NewJobQuery)]
HistoryPage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, HISTORY_DEFAULT, HISTORY_MOST), HistoryQuery)
]


def scoped(name: str, *further: str) -> Rule:
    """Return the access rule for an action on jobs within the caller's reach."""
    return action(name).testing(*further, ANY_DEPARTMENT)


def declare_creation(path: str, key: str, summary: str) -> None:
    """Declare the operation that creates a job, for one of its two paths."""

    @routes.post(
        path,
        key,
        scoped("job_listing:create", "job_listing:submit", "job_listing:publish"),
        summary,
        example=EXAMPLE,
        status=201,
        errors=[400, 409],
        rate=RATE,
    )
    async def create_job(call: Call, body: JobBody, acao: FirstEvent) -> Response[StaffJob]:
        """Cria uma vaga em edição, com etapas e perguntas, e a devolve. Exige a ação `job_listing:create` e, com
        `acao`, também a ação dessa mudança; se a mudança não for possível, nada é gravado. Para duplicar uma vaga,
        envie-a como foi lida. Sem `job_listing:any_department`, o órgão deve ser um dos órgãos de quem chama.
        """
        return created(await service.create_job(call, body, acao))


declare_creation(BASE, "employability.create_job", "Cria uma vaga")
declare_creation(f"{BASE}/draft", "employability.create_job_draft", "Cria uma vaga em edição")


@routes.get(
    f"{BASE}/{{id}}",
    "employability.read_job",
    scoped("job_listing:read"),
    "Uma vaga em qualquer situação",
    description=(
        "Devolve uma vaga inteira e, em `acoes_permitidas`, as mudanças de situação que quem chama pode fazer agora. "
        f"Exige a ação `job_listing:read`. {REACH}"
    ),
    errors=[304, 400],
)
async def get_job(call: Call, id: JobInPath) -> Response[StaffJob]:
    return personal(await service.read_job(call, id), call)


@routes.put(
    f"{BASE}/{{id}}",
    "employability.replace_job",
    scoped("job_listing:update", "job_listing:update_published"),
    "Altera uma vaga",
    description=(
        "Substitui o conteúdo de uma vaga e a devolve. Exige a ação `job_listing:update`; depois da publicação, também "
        "`job_listing:update_published`. O que um campo ausente significa está em cada um. Etapas e perguntas são "
        "reconhecidas pelo `id`. Fora da edição a vaga precisa continuar completa. Com `If-Match`, a mudança só vale "
        f"sobre o estado lido. {REACH}"
    ),
    example=EXAMPLE,
    errors=[412],
    rate=RATE,
)
async def put_job(call: Call, id: JobInPath, body: JobBody) -> Response[StaffJob]:
    return stored(await service.replace_job(call, id, body))


@routes.delete(
    f"{BASE}/{{id}}",
    "employability.delete_job",
    scoped("job_listing:delete", "job_listing:delete_published"),
    "Exclui uma vaga",
    description=(
        "Exclui uma vaga; as candidaturas continuam legíveis. Exige a ação `job_listing:delete`; depois "
        f"da publicação, também `job_listing:delete_published`. {REACH}"
    ),
    errors=[400, 412],
    rate=RATE,
)
async def delete_job(call: Call, id: JobInPath) -> Message:
    return await service.delete_job(call, id)


@routes.get(
    f"{BASE}/{{id}}/historico",
    "employability.list_job_history",
    scoped("job_listing:read"),
    "O que houve com uma vaga",
    description=(
        f"Devolve as mudanças de uma vaga, da mais nova à mais antiga. Exige a ação `job_listing:read`. {REACH}"
    ),
    errors=[304],
)
async def get_history(call: Call, id: JobInPath, page: HistoryPage) -> Response[History]:
    return personal(await service.list_job_history(call, id, page), call)


def declare_transition(row: Transition) -> None:
    """Declare the operation for one row of the state table."""
    first, *others = row.actions
    rule = authenticated().testing(first, *others, ANY_DEPARTMENT) if others else scoped(first)

    @routes.put(
        f"{BASE}/{{id}}/{row.event.value}",
        f"employability.{row.event.name.lower()}_job",
        rule,
        row.summary,
        description=f"{row.describe()} {REACH}",
        described_body=TransitionBody,
        example={"motivo": "Conferido com a empresa."},
        body_limit=SMALL_BODY,
        errors=[400, 404, 409, 412],
        rate=RATE,
    )
    async def move_job(call: Call, id: Annotated[UUID, job_in_path(EXAMPLES[row.event])], content: bytes) -> JobChanged:
        return await service.move_job(call, id, row, read_reason(content))


for each in TRANSITIONS:
    declare_transition(each)


# This feature exports only the history of jobs. The feature `transfer` exports the jobs with their nested records.
EXPORTS = Exports(
    tables=("employability.job_event",),
    derived=(
        "employability.job_reference_value",
        "employability.job_language",
        "employability.job_step",
        "employability.job_question",
    ),
)

FEATURE = Feature(routes=routes.declared, exports=EXPORTS)
