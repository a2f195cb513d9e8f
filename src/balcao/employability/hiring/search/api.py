"""Routes for job lists and published jobs. Visitors read published jobs without a token."""

from typing import Annotated

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import InPath, InQuery, OfRequest
from balcao.core.http.responses import MOVED, Response, personal, to_json, with_etag
from balcao.core.values.page import Page
from balcao.employability.hiring.listings.api import BASE, REACH, scoped
from balcao.employability.hiring.listings.schemas import Job
from balcao.employability.hiring.paths import PublishedJobInPath
from balcao.employability.hiring.search import service
from balcao.employability.hiring.search.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    JobFilters,
    Jobs,
    PublicJobQuery,
    StaffJobQuery,
    StaffJobs,
    parse_public_filters,
    parse_staff_filters,
)
from balcao.employability.lists import parse_list_page
from balcao.employability.routes import ROUTES

PUBLIC_BASE = "/api/public/empregabilidade/vagas"
CACHED = "public, max-age=15"

routes = ROUTES.extend(tags=["jobs"])
public_routes = ROUTES.extend(tags=["public-jobs"])

StaffPage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), StaffJobQuery)
]
StaffFilters = Annotated[JobFilters, InQuery(parse_staff_filters)]
PublicPage = Annotated[
    Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), PublicJobQuery)
]
PublicFilters = Annotated[JobFilters, InQuery(parse_public_filters)]
# The service's path prefix in this call, which is empty if the service runs on its own.
Prefix = Annotated[str, OfRequest(lambda request: request.prefix)]
SlugInPath = Annotated[str, InPath(str, "Nome para endereços de páginas (`slug`)", "confeiteiro-49c67c23c0e7")]


@routes.get(
    BASE,
    "employability.list_jobs",
    scoped("job_listing:read"),
    "Lista vagas em qualquer situação",
    description=(
        "Devolve vagas sem etapas e perguntas, das mais novas às mais antigas; `resumo` conta por "
        "situação, sem olhar o filtro `status`. Exige a ação `job_listing:read`. "
        f"{REACH} Uma vaga cuja `data_limite` passou conta como `publicado_expirado`."
    ),
    errors=[304],
)
async def get_jobs(call: Call, filters: StaffFilters, page: StaffPage) -> Response[StaffJobs]:
    return personal(await service.list_jobs(call, filters, page), call)


@public_routes.get(
    PUBLIC_BASE,
    "employability.list_published_jobs",
    public(),
    "Vagas publicadas",
    errors=[304],
    may_lag=True,
)
async def get_published_jobs(call: Call, filters: PublicFilters, page: PublicPage) -> Response[Jobs]:
    """Devolve vagas publicadas, expiradas, congeladas e descontinuadas, sem etapas nem perguntas, da publicação mais
    recente à mais antiga, ou pela `ordem` pedida. `facetas` traz quantas vagas há de cada valor. Não pede token.
    """
    return with_etag(await service.list_published_jobs(call, filters, page), call, CACHED)


@public_routes.get(
    f"{PUBLIC_BASE}/{{id}}",
    "employability.read_published_job",
    public(),
    "Uma vaga publicada",
    errors=[304, 400],
    may_lag=True,
)
async def get_published_job(call: Call, id: PublishedJobInPath) -> Response[Job]:
    """Devolve uma vaga inteira. Se ela nunca foi publicada ou foi excluída, a resposta é 404. Não pede token."""
    return with_etag(await service.read_published_job(call, id), call, CACHED)


@public_routes.get(
    f"{PUBLIC_BASE}/slug/{{slug}}",
    "employability.read_published_job_by_slug",
    public(),
    "Uma vaga publicada, pelo slug",
    errors=[304],
    moved=Job,
    may_lag=True,
)
async def get_job_by_slug(call: Call, slug: SlugInPath, prefix: Prefix) -> Response[Job]:
    """Devolve uma vaga inteira pelo seu `slug`, que termina com o começo do id. Um slug antigo, com outro título,
    redireciona para o atual (301). Não pede token.
    """
    job = await service.read_job_by_slug(call, slug)
    if slug == job.slug:
        return with_etag(job, call, CACHED)
    address = f"{prefix}{PUBLIC_BASE}/slug/{job.slug}"
    return to_json(job, status=MOVED, headers={"Location": address, "Cache-Control": CACHED})


FEATURE = Feature(routes=[*routes.declared, *public_routes.declared])
