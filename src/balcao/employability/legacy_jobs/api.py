"""Routes for older jobs."""

from typing import Annotated

from balcao.core.access.rules import action, public
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.dialects import CODE_MESSAGE
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.parameters import InQuery
from balcao.core.http.responses import Response, created, stored, with_etag
from balcao.core.values.page import Page
from balcao.employability.legacy_jobs import service
from balcao.employability.legacy_jobs.filters import LegacyJobFilters
from balcao.employability.legacy_jobs.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    LegacyJob,
    LegacyJobBody,
    LegacyJobQuery,
    LegacyJobs,
)
from balcao.employability.lists import parse_list_page
from balcao.employability.paths import integer_in_path
from balcao.employability.routes import ROUTES
from balcao.employability.schemas import Nothing

BASE = "/api/v1/empregos"
RATE = "60/minute"
# The response depends on the caller's token, so shared caches must not store it.
PRIVATE_CACHE = "private, no-cache"
EXAMPLE = {
    "titulo": "Jardineiro",
    "tipo_contratacao": "CLT",
    "status": "ABERTO",
    "descricao": "Cuidar de praças.",
    "escolaridade_id": 4,
    "salario_min": 1600,
    "salario_max": 2100,
}
_CREATED = "Um emprego em `CRIADO` só é mostrado a quem tem a ação `legacy_job:manage`."

routes = ROUTES.extend(tags=["legacy-jobs"], dialect=CODE_MESSAGE, body_limit=FORM_BODY)

JobPage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), LegacyJobQuery)
]
# The example is an open job of the sandbox.
NumberInPath = Annotated[int, integer_in_path(2)]
Filters = Annotated[LegacyJobFilters, InQuery(LegacyJobFilters.parse)]


@routes.get(
    BASE,
    "employability.list_legacy_jobs",
    public().testing(service.MANAGE),
    "Lista empregos da listagem antiga",
    description=f"Devolve empregos, dos mais novos aos mais antigos. Não pede token. {_CREATED}",
    errors=[304],
    may_lag=True,
)
async def get_legacy_jobs(call: Call, filters: Filters, page: JobPage) -> Response[LegacyJobs]:
    return with_etag(await service.list_legacy_jobs(call, filters, page), call, PRIVATE_CACHE)


@routes.post(
    BASE,
    "employability.create_legacy_job",
    action(service.MANAGE),
    "Cadastra um emprego na listagem antiga",
    example=EXAMPLE,
    status=201,
    errors=[409],
    rate=RATE,
)
async def post_legacy_job(call: Call, body: LegacyJobBody) -> Response[LegacyJob]:
    """Cadastra um emprego, em `CRIADO` ou `ABERTO`, e o devolve."""
    return created(await service.create_legacy_job(call, body))


@routes.get(
    f"{BASE}/{{id}}",
    "employability.read_legacy_job",
    public().testing(service.MANAGE),
    "Um emprego da listagem antiga",
    description=f"Devolve um emprego. Não pede token. {_CREATED}",
    errors=[304, 400],
    may_lag=True,
)
async def get_legacy_job(call: Call, id: NumberInPath) -> Response[LegacyJob]:
    return with_etag(await service.read_legacy_job(call, id), call, PRIVATE_CACHE)


@routes.put(
    f"{BASE}/{{id}}",
    "employability.replace_legacy_job",
    action(service.MANAGE),
    "Altera um emprego da listagem antiga",
    example=EXAMPLE,
    errors=[409, 412],
    rate=RATE,
)
async def put_legacy_job(call: Call, id: NumberInPath, body: LegacyJobBody) -> Response[LegacyJob]:
    """Substitui um emprego e o devolve. A situação pode mudar de CRIADO para ABERTO; de ABERTO para EM_ANALISE ou
    ENCERRADO; de EM_ANALISE para ABERTO ou ENCERRADO; e de ENCERRADO para ABERTO, se o prazo ainda não passou.
    """
    return stored(await service.replace_legacy_job(call, id, body))


@routes.delete(
    f"{BASE}/{{id}}",
    "employability.remove_legacy_job",
    action(service.MANAGE),
    "Retira um emprego da listagem antiga",
    errors=[400, 412],
    rate=RATE,
)
async def remove_legacy_job(call: Call, id: NumberInPath) -> Nothing:
    """Retira um emprego da listagem antiga e responde com um objeto vazio. O número do emprego não volta a ser usado.
    Os erros desta listagem têm a forma `{code, message}`.
    """
    return await service.remove_job(call, id)


FEATURE = Feature(routes=routes.declared, exports=Exports(tables=("employability.legacy_job",)))
