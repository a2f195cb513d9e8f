"""Routes of the published jobs, which visitors read without a token."""

from typing import Annotated, Any

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import InPath, InQuery, OfRequest
from balcao.core.http.responses import MOVED, Response, to_json, with_etag
from balcao.core.values.page import Page
from balcao.employability.hiring.listings import service
from balcao.employability.hiring.listings.filters import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    JobFilters,
    PublicJobQuery,
    parse_public_filters,
)
from balcao.employability.hiring.listings.schemas import Job, Jobs
from balcao.employability.hiring.paths import PublishedJobInPath
from balcao.employability.lists import parse_page
from balcao.employability.routes import ROUTES

BASE = "/api/public/empregabilidade/vagas"
CACHED = "public, max-age=15"

routes = ROUTES.extend(tags=["public-jobs"])

JobPage = Annotated[Page, InQuery(lambda query: parse_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), PublicJobQuery)]
Filters = Annotated[JobFilters, InQuery(parse_public_filters)]
# What stands before the paths where the call came in: nothing where the service is alone.
Prefix = Annotated[str, OfRequest(lambda request: request.prefix)]
SlugInPath = Annotated[str, InPath(str, "Nome para endereços de páginas (`slug`)", "confeiteiro-49c67c23c0e7")]


@routes.get(
    BASE,
    "employability.list_published_jobs",
    public(),
    "Vagas publicadas",
    errors=[304],
    may_lag=True,
)
async def list_jobs(call: Call, filters: Filters, page: JobPage) -> Response[Jobs]:
    """Devolve vagas publicadas, expiradas, congeladas e descontinuadas, sem etapas e perguntas, da última publicação à
    primeira. Não pede token.
    """
    return with_etag(await service.list_published_jobs(call, filters, page), call, CACHED)


@routes.get(
    f"{BASE}/{{id}}",
    "employability.read_published_job",
    public(),
    "Uma vaga publicada",
    errors=[304, 400],
    may_lag=True,
)
async def read_job(call: Call, id: PublishedJobInPath) -> Response[Job]:
    """Devolve uma vaga inteira; 404 para a que nunca foi publicada ou foi excluída. Não pede token."""
    return with_etag(await service.read_published_job(call, id), call, CACHED)


@routes.get(
    f"{BASE}/slug/{{slug}}",
    "employability.read_published_job_by_slug",
    public(),
    "Uma vaga publicada, pelo slug",
    errors=[304],
    moved=Job,
    may_lag=True,
)
async def read_job_by_slug(call: Call, slug: SlugInPath, prefix: Prefix) -> Response[Job]:
    """Devolve uma vaga inteira pelo seu `slug`, que termina com o começo do id. Um slug antigo, de outro título, leva
    ao atual (301). Não pede token.
    """
    return _respond(await service.read_job_by_slug(call, slug), slug, call, prefix)


def _respond(job: Job, slug: str, call: Call, prefix: str) -> Response[Any]:
    if slug == job.slug:
        return with_etag(job, call, CACHED)
    address = f"{prefix}{BASE}/slug/{job.slug}"
    return to_json(job, status=MOVED, headers={"Location": address, "Cache-Control": CACHED})


FEATURE = Feature(routes=routes.declared)
