"""Routes for proposals to change published services."""

from typing import Annotated, TypeAlias

from balcao.core.access.rules import action
from balcao.core.audit.retention import OldRows
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.paging import PageQuery
from balcao.core.http.parameters import InPath, Query
from balcao.core.http.responses import Response
from balcao.core.http.sent_headers import ETAG, sending
from balcao.core.values.ids import UUID_PATTERN
from balcao.search.conventions import (
    PUBLISH,
    ServiceIdInPath,
    format_etag,
    parse_flag_parameter,
    parse_page_parameters,
    respond_created,
    respond_to_staff,
)
from balcao.search.proposals import service, store
from balcao.search.proposals.schemas import (
    Proposal,
    ProposalBody,
    ProposalChangeBody,
    Proposals,
    ProposalsQuery,
    SendBackBody,
)
from balcao.search.routes import ROUTES
from balcao.search.services.schemas import StaffService

routes = ROUTES.extend(tags=["proposals"], body_limit=512 * 1024)

READ, UPDATE = "service:read", "service:update"
ProposalIdInPath: TypeAlias = Annotated[
    str, InPath(str, "Identificador da proposta", "0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60", f"^{UUID_PATTERN}$")
]
_EXAMPLE = {
    "nome_servico": "Pedido de poda de árvore",
    "orgao_gestor": ["Secretaria de Conservação"],
    "resumo": "Solicita a **poda** de árvores em ruas, praças, calçadas e escolas.",
    "tema_geral": "Cidade",
    "change_reason": "As escolas passaram a ser atendidas.",
}
_BASE = "/api/v1/admin/services/{id}/proposals"


@routes.get(
    "/api/v1/admin/proposals",
    "search.list_all_proposals",
    action(READ),
    "Lista as propostas de mudança de todos os serviços publicados",
    query=ProposalsQuery,
)
async def get_all_proposals(call: Call, query: Query) -> Response[Proposals]:
    """Devolve uma página das propostas, sem os textos; as que mudaram há mais tempo vêm primeiro. Com
    `awaiting_approval=true`, devolve a fila de quem publica.
    """
    awaiting = parse_flag_parameter(query, "awaiting_approval")
    return respond_to_staff(await service.list_proposals(call, *parse_page_parameters(query), awaiting=awaiting))


@routes.get(_BASE, "search.list_proposals", action(READ), "Lista as propostas de um serviço", query=PageQuery)
async def get_proposals(call: Call, id: ServiceIdInPath, query: Query) -> Response[Proposals]:
    """Devolve uma página das propostas de mudança de um serviço, sem os textos."""
    return respond_to_staff(await service.list_proposals(call, *parse_page_parameters(query), service_id=id))


@routes.post(
    _BASE,
    "search.create_proposal",
    action(UPDATE),
    "Propõe uma mudança de um serviço publicado",
    status=201,
    example=_EXAMPLE,
    errors=[404, 409, 412],
)
async def post_proposal(call: Call, id: ServiceIdInPath, body: ProposalBody) -> Response[Proposal]:
    """Guarda uma mudança de um serviço publicado, sem que o público a veja. A proposta espera aprovação ou, com
    `awaiting_approval` falso, fica em edição. Campos ausentes têm o mesmo efeito que na alteração do serviço. Com o
    `ETag` do serviço em `If-Match`, só cria a proposta se o serviço não mudou desde que foi lido (senão, 412).
    """
    made = await service.create_proposal(call, id, body)
    proposal = service.read_made(made)
    return respond_created(made, f"proposals/{proposal.id}", service.format_proposal_etag(proposal))


@routes.get(f"{_BASE}/{{proposal_id}}", "search.read_proposal", action(READ), "Uma proposta de um serviço")
async def get_proposal(call: Call, id: ServiceIdInPath, proposal_id: ProposalIdInPath) -> Response[Proposal]:
    """Devolve uma proposta com o conteúdo que daria ao serviço. O `ETag` contém a versão de que ela partiu e quantas
    vezes foi gravada.
    """
    return _respond(await service.read_proposal(call, id, proposal_id))


@routes.put(
    f"{_BASE}/{{proposal_id}}",
    "search.change_proposal",
    action(UPDATE),
    "Altera uma proposta",
    example=_EXAMPLE,
    errors=[409, 412],
)
async def put_proposal(
    call: Call, id: ServiceIdInPath, proposal_id: ProposalIdInPath, body: ProposalChangeBody
) -> Response[Proposal]:
    """Grava a proposta de novo. Se o serviço mudou depois dela, envie em `base_version` a versão mais nova, com a qual
    o texto já foi juntado; outra versão responde 409. Com `If-Match`, só grava se a proposta não mudou desde que foi
    lida (senão, 412).
    """
    return _respond(await service.change_proposal(call, id, proposal_id, body))


@routes.delete(
    f"{_BASE}/{{proposal_id}}",
    "search.withdraw_proposal",
    action(UPDATE).testing(PUBLISH),
    "Retira uma proposta",
    status=204,
    errors=[412],
)
async def withdraw_proposal(call: Call, id: ServiceIdInPath, proposal_id: ProposalIdInPath) -> None:
    """Remove a proposta; o serviço fica. Só quem tem `service:publish` pode remover a de outra pessoa. Com `If-Match`,
    só remove se a proposta não mudou desde que foi lida (senão, 412).
    """
    await service.withdraw_proposal(call, id, proposal_id)


@routes.post(
    f"{_BASE}/{{proposal_id}}/publish",
    "search.publish_proposal",
    action(PUBLISH),
    "Publica uma proposta",
    errors=[404, 409, 412],
)
@sending(ETAG)
async def publish_proposal(call: Call, id: ServiceIdInPath, proposal_id: ProposalIdInPath) -> Response[StaffService]:
    """Publica o conteúdo da proposta em uma versão nova, que registra quem propôs, e remove a proposta. Se o serviço
    mudou depois da proposta, a resposta é 409. Com `If-Match`, só publica se a proposta não mudou desde que foi lida
    (senão, 412).
    """
    saved = await service.publish_proposal(call, id, proposal_id)
    return respond_to_staff(saved, {ETAG.name: format_etag(saved.version)})


@routes.post(
    f"{_BASE}/{{proposal_id}}/send-back",
    "search.send_back_proposal",
    action(PUBLISH),
    "Devolve uma proposta a quem a edita",
    errors=[404, 409, 412],
)
async def send_back_proposal(
    call: Call, id: ServiceIdInPath, proposal_id: ProposalIdInPath, body: SendBackBody
) -> Response[Proposal]:
    """Devolve a proposta à edição, com um motivo para quem a edita. Com `If-Match`, só devolve se a proposta não mudou
    desde que foi lida (senão, 412).
    """
    return _respond(await service.send_back_proposal(call, id, proposal_id, body))


@sending(ETAG)
def _respond(proposal: Proposal) -> Response[Proposal]:
    """Respond with the proposal and its ETag."""
    return respond_to_staff(proposal, {ETAG.name: service.format_proposal_etag(proposal)})


FEATURE = Feature(
    routes=routes.declared,
    retention=[OldRows("service_proposal", store.count_proposals, store.delete_old_proposals, service.KEPT)],
    exports=Exports(tables=("search.service_proposals",)),
)
