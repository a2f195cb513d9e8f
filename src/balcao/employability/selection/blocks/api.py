"""Routes of the blocks."""

from typing import Annotated

from balcao.core.access.rules import authenticated
from balcao.core.context.call import Call
from balcao.core.http.operations import SMALL_BODY, Routes
from balcao.core.http.paging import Page
from balcao.core.http.parameters import CallersCpf, InQuery
from balcao.core.http.responses import Response, created, personal
from balcao.employability.hiring.listings.api import scoped
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.lists import parse_page
from balcao.employability.selection.blocks import service
from balcao.employability.selection.blocks.filters import BlockFilters, parse_block_filters
from balcao.employability.selection.blocks.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    Block,
    BlockBody,
    BlockQuery,
    Blocks,
)

BASE = "/api/v1/empregabilidade/candidatura-bloqueios"

routes = Routes(tags=["applications"], body_limit=SMALL_BODY)

BlockPage = Annotated[Page, InQuery(lambda query: parse_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), BlockQuery)]
Filters = Annotated[BlockFilters, InQuery(parse_block_filters)]


@routes.post(
    BASE,
    "employability.create_application_block",
    authenticated(),
    "Registra uma tentativa de candidatura recusada",
    description=(
        "Registra que quem chama não pôde candidatar-se a uma vaga publicada, e por quais critérios. No mesmo dia vale "
        "o primeiro registro, que é devolvido outra vez. Uma candidatura recusada por critérios já deixa o seu."
    ),
    example={"id_vaga": str(sandbox_job_id("V2")), "criterios_nao_atendidos": ["idade_minima"]},
    status=201,
    errors=[400, 404, 409],
    rate="60/minute",
)
async def create_block(call: Call, person: CallersCpf, body: BlockBody) -> Response[Block]:
    """Record a refused attempt of the caller's own."""
    return created(await service.create_block(call.as_owner(), person, body))


@routes.get(
    BASE,
    "employability.list_application_blocks",
    scoped("job_application:read"),
    "Lista tentativas de candidatura recusadas",
    description=(
        "Devolve bloqueios, do mais novo ao mais antigo, com o CPF mascarado. Exige a ação `job_application:read`; sem "
        "`job_listing:any_department`, só alcança as vagas dos próprios órgãos."
    ),
    errors=[304, 400],
    concerns_people=True,
)
async def list_blocks(call: Call, filters: Filters, page: BlockPage) -> Response[Blocks]:
    """Return a page of the blocks within reach."""
    return personal(await service.list_blocks(call, filters, page), call)
