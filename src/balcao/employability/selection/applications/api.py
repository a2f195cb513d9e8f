"""Routes for applications, used by candidates and staff."""

from typing import Annotated

from balcao.core.access.reach import ANY_DEPARTMENT
from balcao.core.access.rules import authenticated, own
from balcao.core.audit.personal_data import ExportMember, PersonalData, erase_rows, retain_rows
from balcao.core.audit.retention import Retention, RetentionCount
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CpfInPath, InQuery
from balcao.core.http.responses import Response, personal
from balcao.core.values.page import Page
from balcao.employability.hiring.listings.schemas import HISTORY_DEFAULT, HISTORY_MOST, HistoryQuery
from balcao.employability.lists import parse_list_page
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Message
from balcao.employability.selection.applications import service, store
from balcao.employability.selection.applications.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    ApplicationDetail,
    ApplicationHistory,
    Applications,
    ExportedApplication,
    OwnApplicationQuery,
    OwnFilters,
    parse_own_filters,
)
from balcao.employability.selection.applications.states import CREATE_ANY, READ, Event, describe_events
from balcao.employability.selection.paths import ApplicationInPath, OpenApplicationInPath

BASE = "/api/v1/empregabilidade/candidaturas"
RATE = "60/minute"
REACH = "Sem `job_listing:any_department`, a equipe só alcança as vagas dos próprios órgãos."

routes = ROUTES.extend(tags=["applications"], body_limit=SMALL_BODY)

OwnPage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), OwnApplicationQuery)
]
HistoryPage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, HISTORY_DEFAULT, HISTORY_MOST), HistoryQuery)
]
Filters = Annotated[OwnFilters, InQuery(parse_own_filters)]


@routes.get(
    f"{BASE}/usuario/{{cpf}}",
    "employability.list_applications_of_person",
    own(READ).testing(ANY_DEPARTMENT),
    "Candidaturas de uma pessoa",
    description=(
        "Devolve as candidaturas de uma pessoa, da mais nova à mais antiga, cada uma com a vaga e a etapa atual; as "
        "retiradas ficam de fora. `resumo` conta por situação, sem olhar o filtro `status`. Para a própria pessoa e "
        f"para quem tem a ação `job_application:read`. {REACH}"
    ),
    errors=[304],
)
async def get_applications_of_person(
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
        f"pessoa e para quem tem a ação `job_application:read`. {REACH}"
    ),
    errors=[304, 400],
)
async def get_application(call: Call, id: ApplicationInPath) -> Response[ApplicationDetail]:
    return personal(await service.read_application(call, id), call)


@routes.get(
    f"{BASE}/{{id}}/historico",
    "employability.list_application_history",
    authenticated().testing(READ, ANY_DEPARTMENT),
    "O que houve com uma candidatura",
    description=(
        "Devolve as mudanças de uma candidatura, também de uma retirada, da mais nova à mais antiga. Para a própria "
        f"pessoa, que não vê quem da equipe agiu, e para quem tem a ação `job_application:read`. {REACH}"
    ),
    errors=[304],
)
async def get_application_history(call: Call, id: ApplicationInPath, page: HistoryPage) -> Response[ApplicationHistory]:
    return personal(await service.list_application_history(call, id, page), call)


@routes.delete(
    f"{BASE}/{{id}}",
    "employability.withdraw_application",
    authenticated(),
    "Retira a própria candidatura",
    description=f"Retira a candidatura, e a pessoa pode candidatar-se de novo. {describe_events(Event.WITHDRAW)}",
    errors=[400, 409, 412],
    rate=RATE,
)
async def withdraw_application(call: Call, id: OpenApplicationInPath) -> Message:
    return await service.withdraw_application(call, id)


async def clear_ended(call: Call, connection: Connection) -> RetentionCount:
    """Erase the personal data of applications for jobs that ended long ago."""
    checked = await store.count_named_applications(connection)
    return RetentionCount(
        checked, await store.erase_ended_applications(connection, call.platform.settings.jobs_application_months)
    )


# The export contains everything. An erasure deletes an application's content but not the application (rules:
# employability 5.4).
ERASED = ["nome", "email", "respostas_info_complementares", "curriculo_snapshot", "historico.motivo"]
BASIS = (
    "Registro do processo seletivo, sem nome, contato, respostas, currículo e motivos, até o fim do prazo de guarda."
)
PERSONAL_DATA = PersonalData(
    "applications",
    [
        ExportMember(
            "candidaturas",
            list[ExportedApplication],
            "As candidaturas da pessoa, com respostas, currículo e o que houve nelas.",
            202,
            store.list_exported_applications,
        )
    ],
    erase_rows("applications", store.erase_applications, ERASED),
    retain_rows("applications", store.count_applications, BASIS),
    tables=["employability.application"],
)

FEATURE = Feature(
    routes=routes.declared,
    retention=[Retention("job_application", clear_ended)],
    personal_data=PERSONAL_DATA,
    exports=Exports(
        tables=("employability.application", "employability.application_content", "employability.application_event"),
        derived=("employability.application_tally",),
    ),
)
