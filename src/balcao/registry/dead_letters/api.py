"""Routes of the dead-lettered jobs of every dead_letters."""

from typing import Any

from litestar import Request
from litestar.params import JSONBody

from balcao.core.access.rules import action
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.core.http.paging import page_of
from balcao.core.jobs import dead_letters
from balcao.core.jobs.schemas import DeadLetter, DeadLetterDetail, DeadLetterPage, RetriedJobs, RetryJobsBody
from balcao.registry.dead_letters.paths import LetterInPath
from balcao.registry.dead_letters.schemas import DeadLetterQuery, DropQuery
from balcao.registry.paths import query_cpf, query_text

BASE = "/admin/jobs/dead-letters"


@operation(
    "GET",
    BASE,
    "registry.list_dead_letters",
    action("jobs:read"),
    "Tarefas que falharam de vez, as mais antigas primeiro",
    errors=[400],
    query=DeadLetterQuery,
    tags=["jobs"],
)
async def list_dead_letters(call: CurrentCall, request: Request[Any, Any, Any]) -> DeadLetterPage:
    query = query_of(request)
    kind = query_text(query, "kind")
    return await dead_letters.list_dead_letters(
        call, page_of(request), kinds=[kind] if kind else [], cpf=query_cpf(query)
    )


@operation(
    "GET",
    BASE + "/{letter_id:str}",
    "registry.read_dead_letter",
    action("jobs:read"),
    "Uma tarefa e as suas últimas tentativas",
    tags=["jobs"],
)
async def read_dead_letter(call: CurrentCall, letter_id: LetterInPath) -> DeadLetterDetail:
    return await dead_letters.read_dead_letter(call, letter_id)


@operation(
    "POST",
    BASE + "/{letter_id:str}/retry",
    "registry.retry_dead_letter",
    action("jobs:write"),
    "Põe a tarefa de volta na fila, com todas as tentativas",
    errors=[409],
    tags=["jobs"],
)
async def retry_dead_letter(call: CurrentCall, letter_id: LetterInPath) -> DeadLetter:
    return await dead_letters.retry(call, letter_id)


@operation(
    "POST",
    BASE + "/retry",
    "registry.retry_dead_letters",
    action("jobs:write"),
    "Põe as tarefas mais antigas de um tipo de volta na fila",
    errors=[400],
    body=RetryJobsBody,
    tags=["jobs"],
)
async def retry_dead_letters(call: CurrentCall, data: JSONBody[RetryJobsBody]) -> RetriedJobs:
    return await dead_letters.retry_many(call, data)


@operation(
    "DELETE",
    BASE + "/{letter_id:str}",
    "registry.drop_dead_letter",
    action("jobs:write"),
    "Descarta a tarefa; o motivo fica na trilha de auditoria",
    status=204,
    errors=[400, 409],
    query=DropQuery,
    tags=["jobs"],
)
async def drop_dead_letter(call: CurrentCall, request: Request[Any, Any, Any], letter_id: LetterInPath) -> None:
    await dead_letters.drop(call, letter_id, query_of(request).get("reason", ""))


ROUTES = [list_dead_letters, read_dead_letter, retry_dead_letter, retry_dead_letters, drop_dead_letter]
