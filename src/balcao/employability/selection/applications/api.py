"""Routes of the applications for citizens; staff reach them within their departments."""

from typing import Annotated

from balcao.core.access.reach import ANY_DEPARTMENT
from balcao.core.access.rules import authenticated, own
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.dialects import ERROR_AND_MESSAGE, Dialect
from balcao.core.http.operations import MIB, SMALL_BODY
from balcao.core.http.parameters import CpfInPath, InQuery
from balcao.core.http.responses import Response, created, personal, stored
from balcao.core.values.page import Page
from balcao.employability.hiring.listings.filters import HISTORY_DEFAULT, HISTORY_MOST, HistoryQuery
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.lists import parse_page
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message
from balcao.employability.selection.applications import decision_api, service, submission
from balcao.employability.selection.applications import retention_store as store
from balcao.employability.selection.applications.filters import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    OwnApplicationQuery,
    OwnFilters,
    parse_own_filters,
)
from balcao.employability.selection.applications.paths import ApplicationInPath, OpenApplicationInPath
from balcao.employability.selection.applications.personal_data import PERSONAL_DATA
from balcao.employability.selection.applications.schemas import (
    ApplicationBody,
    ApplicationChange,
    ApplicationDetail,
    ApplicationHistory,
    ApplicationRefusal,
    Applications,
)
from balcao.employability.selection.applications.states import (
    CREATE_ANY,
    READ,
    TABLE,
    Event,
)

BASE = "/api/v1/empregabilidade/candidaturas"
RATE = "60/minute"
# The citizen portal shows `message` where this call is refused.
REFUSAL = Dialect(ERROR_AND_MESSAGE.body, ApplicationRefusal)
_REACH = "Sem `job_listing:any_department`, a equipe só alcança as vagas dos próprios órgãos."

routes = ROUTES.extend(tags=["applications"], body_limit=SMALL_BODY)

OwnPage = Annotated[
    Page, InQuery(lambda query: parse_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), OwnApplicationQuery)
]
HistoryPage = Annotated[Page, InQuery(lambda query: parse_page(query, HISTORY_DEFAULT, HISTORY_MOST), HistoryQuery)]
Filters = Annotated[OwnFilters, InQuery(parse_own_filters)]


def describe(event: Event) -> str:
    """Return the rows of the table for this event in words."""
    return " ".join(row.describe() for row in TABLE if row.event is event)


@routes.post(
    BASE,
    "employability.submit_application",
    authenticated().testing(CREATE_ANY, ANY_DEPARTMENT),
    "Candidata-se a uma vaga",
    description=(
        "Cria a candidatura de quem chama a uma vaga ativa e a devolve, com o currículo como o serviço o tem agora. "
        "As respostas seguem o tipo de cada pergunta. Quem não aceitou os termos, ou não atende ao que a vaga exige, "
        "recebe 400 com `criterios_nao_atendidos`, e fica registrado um bloqueio. Uma pessoa tem uma candidatura a "
        "cada vaga; depois de retirá-la pode candidatar-se de novo, até três vezes. Com a ação "
        f"`job_application:create_any` a equipe candidata outra pessoa, pelo `cpf`, atenda ela ou não. {_REACH}"
    ),
    example={"id_vaga": str(sandbox_job_id("V2")), "cpf": "90000000760", "nome": "Gabriela Antunes"},
    dialect=REFUSAL,
    status=201,
    errors=[404, 409],
    body_limit=MIB,
    rate="10/minute",
)
async def submit_application(call: Call, body: ApplicationBody) -> Response[ApplicationDetail]:
    return created(await submission.submit_application(call, body))


@routes.get(
    f"{BASE}/usuario/{{cpf}}",
    "employability.list_applications_of_person",
    own(READ).testing(ANY_DEPARTMENT),
    "Candidaturas de uma pessoa",
    description=(
        "Devolve as candidaturas de uma pessoa, da mais nova à mais antiga, cada uma com a vaga e a etapa atual; as "
        "retiradas ficam de fora. `resumo` conta por situação, sem olhar o filtro `status`. Para a própria pessoa e "
        f"para quem tem a ação `job_application:read`. {_REACH}"
    ),
    errors=[304],
)
async def list_applications_of_person(
    call: Call, cpf: CpfInPath, filters: Filters, page: OwnPage
) -> Response[Applications]:
    return personal(await service.list_applications_of_person(call, cpf, filters, page), call)


@routes.get(
    f"{BASE}/{{id}}",
    "employability.read_application",
    authenticated().testing(READ, CREATE_ANY, ANY_DEPARTMENT),
    "Uma candidatura",
    description=(
        "Devolve uma candidatura e, em `acoes_permitidas`, o que quem chama pode fazer com ela agora. Para a própria "
        f"pessoa e para quem tem a ação `job_application:read`. {_REACH}"
    ),
    errors=[304, 400],
)
async def read_application(call: Call, id: ApplicationInPath) -> Response[ApplicationDetail]:
    return personal(await service.read_application(call, id), call)


@routes.get(
    f"{BASE}/{{id}}/historico",
    "employability.list_application_history",
    authenticated().testing(READ, ANY_DEPARTMENT),
    "O que houve com uma candidatura",
    description=(
        "Devolve as mudanças de uma candidatura, também de uma retirada, da mais nova à mais antiga. Para a própria "
        f"pessoa, que não vê quem da equipe agiu, e para quem tem a ação `job_application:read`. {_REACH}"
    ),
    errors=[304],
)
async def list_application_history(
    call: Call, id: ApplicationInPath, page: HistoryPage
) -> Response[ApplicationHistory]:
    return personal(await service.list_application_history(call, id, page), call)


@routes.put(
    f"{BASE}/{{id}}",
    "employability.replace_application",
    authenticated().testing(CREATE_ANY, ANY_DEPARTMENT),
    "Altera uma candidatura",
    description=(
        "Altera o e-mail e as respostas, pela equipe também o nome; o que falta no corpo fica como está. "
        f"{describe(Event.EDIT)} Para a própria pessoa e para quem tem a ação `job_application:create_any`. {_REACH}"
    ),
    example={"email": "elisa@pessoa.example"},
    errors=[409, 412],
    body_limit=MIB,
    rate=RATE,
)
async def replace_application(
    call: Call, id: OpenApplicationInPath, body: ApplicationChange
) -> Response[ApplicationDetail]:
    return stored(await service.replace_application(call, id, body))


@routes.delete(
    f"{BASE}/{{id}}",
    "employability.withdraw_application",
    authenticated(),
    "Retira a própria candidatura",
    description=f"Retira a candidatura, e a pessoa pode candidatar-se de novo. {describe(Event.WITHDRAW)}",
    errors=[400, 409, 412],
    rate=RATE,
)
async def withdraw_application(call: Call, id: OpenApplicationInPath) -> Message:
    return await service.withdraw_application(call, id)


async def clear_ended(call: Call, connection: Connection) -> Swept:
    """Clear the applications of jobs that ended long ago."""
    checked = await store.count_named_applications(connection)
    return Swept(
        checked, await store.erase_ended_applications(connection, call.platform.settings.jobs_application_months)
    )


RETENTION = [Retention("job_application", clear_ended)]


FEATURE = Feature(
    routes=[*routes.declared, *decision_api.routes.declared],
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    exports=Exports(
        tables=("employability.application", "employability.application_content", "employability.application_event"),
        derived=("employability.application_tally",),
    ),
)
