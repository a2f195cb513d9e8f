"""Routes for the staff's list of applications and for the counts of one job."""

from typing import Annotated

from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.parameters import InQuery
from balcao.core.http.responses import Response, personal, streamed
from balcao.core.values.page import Page
from balcao.employability.hiring.listings.api import BASE as JOBS
from balcao.employability.hiring.listings.api import scoped
from balcao.employability.hiring.paths import PublishedJobInPath
from balcao.employability.routes import ROUTES
from balcao.employability.selection.applications.api import BASE
from balcao.employability.selection.applications.states import READ
from balcao.employability.selection.candidates import service
from balcao.employability.selection.candidates.filters import (
    CandidateFilters,
    CandidateQuery,
    parse_candidate_filters,
    parse_candidate_page,
)
from balcao.employability.selection.candidates.schemas import CandidateCounts, Candidates

routes = ROUTES.extend(tags=["applications"])

CandidatePage = Annotated[Page, InQuery(parse_candidate_page, CandidateQuery)]
Filters = Annotated[CandidateFilters, InQuery(parse_candidate_filters)]


@routes.get(
    BASE,
    "employability.list_applications",
    scoped(READ),
    "Lista candidaturas",
    concerns_people=True,
    errors=[304],
    rate="120/minute",
)
async def get_applications(call: Call, filters: Filters, page: CandidatePage) -> Response[Candidates]:
    """Devolve as candidaturas não retiradas, da mais nova à mais antiga, cada uma com a vaga, a etapa atual e os dados
    da pessoa no cadastro da cidade. Com `vagaId` e `id_info`, devolve só as que responderam a essa pergunta da vaga;
    `resposta` procura um texto na resposta, e `resposta_minima` e `resposta_maxima` limitam um número. `resumo` conta
    por situação e ignora o filtro `status`. Com `vagaId`, uma página pode ter até 10000 itens, para exportação. A
    leitura de cada pessoa fica na auditoria. Exige a ação `job_application:read`; sem `job_listing:any_department`, só
    alcança as vagas dos próprios órgãos.
    """
    found = await service.list_candidates(call, filters, page)
    return personal(found, call) if isinstance(found, Candidates) else streamed(found)


@routes.get(
    f"{JOBS}/{{id}}/contagens",
    "employability.count_candidates",
    scoped(READ),
    "Quantas pessoas se candidataram a uma vaga",
    errors=[304, 400],
)
async def count_candidates(call: Call, id: PublishedJobInPath) -> Response[CandidateCounts]:
    """Conta as candidaturas não retiradas de uma vaga, mesmo excluída, por etapa e por situação. Não lê dados de
    pessoas, por isso nada fica na auditoria. Exige a ação `job_application:read`; sem `job_listing:any_department`, só
    alcança as vagas dos próprios órgãos.
    """
    return personal(await service.count_candidates(call, id), call)


FEATURE = Feature(routes=routes.declared)
