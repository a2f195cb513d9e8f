"""Routes of the dead-lettered jobs of every service."""

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.http.operations import Routes
from balcao.core.http.paging import PageInQuery
from balcao.core.http.parameters import Query
from balcao.core.jobs import dead_letters
from balcao.core.jobs.schemas import DeadLetter, DeadLetterDetail, DeadLetterPage, RetriedJobs, RetryJobsBody
from balcao.registry.dead_letters.paths import JobInPath
from balcao.registry.dead_letters.schemas import DeadLetterQuery, DropQuery
from balcao.registry.paths import query_cpf, query_text

BASE = "/admin/jobs/dead-letters"


routes = Routes(tags=["jobs"])


@routes.get(
    BASE,
    "registry.list_dead_letters",
    action("jobs:read"),
    "Tarefas que falharam de vez, as mais antigas primeiro",
    errors=[400],
    query=DeadLetterQuery,
)
async def list_dead_letters(call: Call, query: Query, page: PageInQuery) -> DeadLetterPage:
    kind = query_text(query, "kind")
    return await dead_letters.list_dead_letters(call, page, kinds=[kind] if kind else [], cpf=query_cpf(query))


@routes.get(
    BASE + "/{letter_id}",
    "registry.read_dead_letter",
    action("jobs:read"),
    "Uma tarefa e as suas últimas tentativas",
)
async def read_dead_letter(call: Call, letter_id: JobInPath) -> DeadLetterDetail:
    return await dead_letters.read_dead_letter(call, letter_id)


@routes.post(
    BASE + "/{letter_id}/retry",
    "registry.retry_dead_letter",
    action("jobs:write"),
    "Põe a tarefa de volta na fila, com todas as tentativas",
    errors=[409],
)
async def retry_dead_letter(call: Call, letter_id: JobInPath) -> DeadLetter:
    return await dead_letters.retry(call, letter_id)


@routes.post(
    BASE + "/retry",
    "registry.retry_dead_letters",
    action("jobs:write"),
    "Põe as tarefas mais antigas de um tipo de volta na fila",
    errors=[400],
)
async def retry_dead_letters(call: Call, body: RetryJobsBody) -> RetriedJobs:
    return await dead_letters.retry_many(call, body)


@routes.delete(
    BASE + "/{letter_id}",
    "registry.drop_dead_letter",
    action("jobs:write"),
    "Descarta a tarefa; o motivo fica na trilha de auditoria",
    status=204,
    errors=[400, 409],
    query=DropQuery,
)
async def drop_dead_letter(call: Call, letter_id: JobInPath, query: Query) -> None:
    await dead_letters.drop(call, letter_id, query.get("reason", ""))
