"""Routes for blocks, which record refused attempts to apply."""

from typing import Annotated

from balcao.core.access.rules import authenticated
from balcao.core.audit.personal_data import ExportMember, OwnRows
from balcao.core.audit.retention import Retention, RetentionCount
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import SMALL_BODY
from balcao.core.http.parameters import CallersCpf, InQuery
from balcao.core.http.responses import Response, created, personal
from balcao.core.values.page import Page
from balcao.employability.hiring.listings.api import scoped
from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.lists import parse_list_page
from balcao.employability.routes import ROUTES
from balcao.employability.selection.blocks import service, store
from balcao.employability.selection.blocks.filters import BlockFilters, parse_block_filters
from balcao.employability.selection.blocks.schemas import (
    DEFAULT_PER_PAGE,
    MOST_PER_PAGE,
    Block,
    BlockBody,
    BlockQuery,
    Blocks,
    ExportedBlock,
)

BASE = "/api/v1/empregabilidade/candidatura-bloqueios"

routes = ROUTES.extend(tags=["applications"], body_limit=SMALL_BODY)

BlockPage = Annotated[Page, InQuery(lambda query: parse_list_page(query, DEFAULT_PER_PAGE, MOST_PER_PAGE), BlockQuery)]
Filters = Annotated[BlockFilters, InQuery(parse_block_filters)]


@routes.post(
    BASE,
    "employability.create_application_block",
    authenticated(),
    "Registra uma tentativa de candidatura recusada",
    example={"id_vaga": str(sandbox_job_id("V2")), "criterios_nao_atendidos": ["idade_minima"]},
    status=201,
    errors=[404, 409],
    rate="60/minute",
)
async def post_block(call: Call, person: CallersCpf, body: BlockBody) -> Response[Block]:
    """Registra que quem chama não pôde candidatar-se a uma vaga publicada, e por quais critérios. Há um só registro por
    pessoa, vaga e dia: uma nova chamada no mesmo dia devolve o primeiro. Uma candidatura recusada por critérios já cria
    o registro.
    """
    return created(await service.create_block(call.as_owner(), person, body))


@routes.get(
    BASE,
    "employability.list_application_blocks",
    scoped("job_application:read"),
    "Lista tentativas de candidatura recusadas",
    errors=[304],
    concerns_people=True,
)
async def get_blocks(call: Call, filters: Filters, page: BlockPage) -> Response[Blocks]:
    """Devolve os bloqueios, do mais novo ao mais antigo, com o CPF mascarado. Exige a ação `job_application:read`; sem
    `job_listing:any_department`, só alcança as vagas dos próprios órgãos.
    """
    return personal(await service.list_blocks(call, filters, page), call)


PERSONAL_DATA = OwnRows(
    "employability.application_block",
    member=ExportMember(
        "bloqueios",
        list[ExportedBlock],
        "As tentativas de candidatura que foram recusadas, e por quê.",
        203,
        store.list_exported_blocks,
    ),
    kind="application_blocks",
    fields=["criterios_nao_atendidos"],
)


async def delete_old(call: Call, connection: Connection) -> RetentionCount:
    """Delete the blocks that are older than the configured number of months."""
    checked = await store.count_blocks(connection)
    return RetentionCount(checked, await store.delete_old_blocks(connection, call.platform.settings.jobs_block_months))


RETENTION = [Retention("application_block", delete_old)]


FEATURE = Feature(
    routes=routes.declared,
    retention=RETENTION,
    personal_data=PERSONAL_DATA,
    exports=Exports(tables=("employability.application_block",)),
)
