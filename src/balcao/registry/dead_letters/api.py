"""Routes for the dead-lettered jobs of all services."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import Query
from balcao.core.jobs import dead_letters
from balcao.core.jobs.schemas import DeadLetter, DeadLetterDetail, DeadLetterPage, RetriedJobs, RetryJobsBody
from balcao.core.values.text import clean_parameter
from balcao.registry.dead_letters.paths import JobInPath
from balcao.registry.dead_letters.schemas import DeadLetterQuery, DropQuery
from balcao.registry.paths import parse_query_cpf
from balcao.registry.routes import ROUTES

BASE = "/admin/jobs/dead-letters"


routes = ROUTES.extend(tags=["jobs"], body_limit=SMALL_BODY)


@routes.get(
    BASE,
    "registry.list_dead_letters",
    action("jobs:read"),
    "Tarefas que falharam de vez, as mais antigas primeiro",
    concerns_people=True,
    query=DeadLetterQuery,
)
async def get_dead_letters(call: Call, query: Query, page: PageInQuery) -> DeadLetterPage:
    """Devolve uma página das tarefas de todos os serviços que falharam de vez, das mais antigas às mais novas. Aceita
    filtros por tipo e por pessoa. Exige a ação `jobs:read`. A busca por uma pessoa é registrada na trilha de auditoria.
    """
    kind = clean_parameter(query, "kind", longest=100)
    return await dead_letters.list_dead_letters(call, page, kinds=[kind] if kind else [], cpf=parse_query_cpf(query))


@routes.get(
    BASE + "/{letter_id}",
    "registry.read_dead_letter",
    action("jobs:read"),
    "Uma tarefa e as suas últimas tentativas",
    concerns_people=True,
)
async def get_dead_letter(call: Call, letter_id: JobInPath) -> DeadLetterDetail:
    """Devolve uma tarefa com as suas últimas dez tentativas: a hora, a duração e o código da falha de cada uma."""
    return await dead_letters.read_dead_letter(call, letter_id)


@routes.post(
    BASE + "/{letter_id}/retry",
    "registry.retry_dead_letter",
    action("jobs:write"),
    "Põe a tarefa de volta na fila, com todas as tentativas",
    concerns_people=True,
    errors=[409],
)
async def retry_dead_letter(call: Call, letter_id: JobInPath) -> DeadLetter:
    """Põe a tarefa de volta na fila, com todas as tentativas pela frente. Exige a ação `jobs:write`; 409 se a tarefa
    não falhou de vez.
    """
    return await dead_letters.retry_dead_job(call, letter_id)


@routes.post(
    BASE + "/retry",
    "registry.retry_dead_letters",
    action("jobs:write"),
    "Põe as tarefas mais antigas de um tipo de volta na fila",
    concerns_people=True,
    example={"kind": "crm_push", "limit": 100},
)
async def retry_dead_letters(call: Call, body: RetryJobsBody) -> RetriedJobs:
    """Põe de volta na fila as tarefas mais antigas de um tipo, todas ou só as que falharam com um código, até o limite
    pedido.
    """
    return await dead_letters.retry_many(call, body)


@routes.delete(
    BASE + "/{letter_id}",
    "registry.drop_dead_letter",
    action("jobs:write"),
    "Descarta a tarefa; o motivo fica na trilha de auditoria",
    concerns_people=True,
    status=204,
    errors=[409],
    query=DropQuery,
)
async def drop_dead_letter(call: Call, letter_id: JobInPath, query: Query) -> None:
    """Descarta uma tarefa que não deve mais ser executada. Não é possível desfazer. O motivo é registrado na trilha de
    auditoria. Exige a ação `jobs:write`.
    """
    await dead_letters.drop_dead_job(call, letter_id, query.get("reason", ""))


FEATURE = Feature(routes=routes.declared)
