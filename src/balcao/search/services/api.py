"""Routes for the services, for staff."""

from typing import TypeVar

from balcao.core.access.rules import action
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response
from balcao.core.http.sent_headers import ETAG, sending
from balcao.search.conventions import (
    PUBLISH,
    ServiceIdInPath,
    format_etag,
    parse_page_parameters,
    read_id,
    respond_created,
    respond_to_staff,
)
from balcao.search.legacy_mappings.schemas import ERROR_WITH_MAPPING
from balcao.search.legacy_mappings.service import parse_publication
from balcao.search.routes import ROUTES
from balcao.search.services import service
from balcao.search.services.filters import ServiceFilters
from balcao.search.services.imports import IMPORTS
from balcao.search.services.schemas import (
    PublishQuery,
    RolledBackService,
    ServiceBody,
    ServiceChangeBody,
    ServiceListQuery,
    ServiceRollbackBody,
    ServiceSummaries,
    StaffService,
    StaffServices,
)

T = TypeVar("T", bound=StaffService)

routes = ROUTES.extend(tags=["services"], body_limit=512 * 1024)

_EXAMPLE = {
    "nome_servico": "Poda de árvore",
    "orgao_gestor": ["Secretaria de Conservação"],
    "resumo": "Solicita a **poda** de árvores em ruas, praças e calçadas.",
    "descricao_completa": "A equipe poda árvores que ameaçam a rede elétrica ou a passagem.",
    "documentos_necessarios": ["CPF", "Foto da árvore"],
    "tema_geral": "Cidade",
    "sub_categoria": "Áreas verdes",
    "publico_especifico": ["Público em geral"],
    "is_free": True,
    "buttons": [{"titulo": "Pedir agora", "url_service": "https://servicos.portoaurora.example/poda"}],
}
_PUBLISHED_TOO = "Um serviço publicado, antes ou depois da chamada, exige também `service:publish`."


@routes.get(
    "/api/v1/admin/services",
    "search.list_services",
    action("service:read"),
    "Lista os serviços do catálogo, em qualquer situação",
    query=ServiceListQuery,
)
async def get_services(call: Call, query: Query) -> Response[StaffServices]:
    """Devolve uma página dos serviços que passam por todos os filtros, com todos os campos. Nomes e textos são
    comparados sem distinguir maiúsculas, acentos e hífens. `field` e `value` comparam um campo. Uma página fora dos
    limites vale como ausente; além do fim, é vazia.
    """
    return respond_to_staff(
        await service.list_services(call, ServiceFilters.parse(query), *parse_page_parameters(query))
    )


@routes.get(
    "/api/v1/admin/services/summaries",
    "search.list_service_summaries",
    action("service:read"),
    "Lista os serviços sem os textos, e quantos há em cada situação",
    query=ServiceListQuery,
)
async def get_service_summaries(call: Call, query: Query) -> Response[ServiceSummaries]:
    """Devolve a mesma página que a lista dos serviços, com os mesmos filtros, mas sem os textos de cada serviço e com
    quem o mudou por último. `states` conta os serviços em cada situação, sem considerar o filtro de situação.
    `awaiting_proposals` conta as propostas que esperam aprovação, sem considerar nenhum filtro.
    """
    return respond_to_staff(
        await service.list_summaries(call, ServiceFilters.parse(query), *parse_page_parameters(query))
    )


@routes.post(
    "/api/v1/admin/services",
    "search.create_service",
    action("service:create").testing(PUBLISH),
    "Cria um serviço",
    status=201,
    example=_EXAMPLE,
    errors=[409],
)
async def post_service(call: Call, body: ServiceBody) -> Response[StaffService]:
    """Cria um serviço em edição e o devolve; o cabeçalho `Location` leva a ele. Exige a ação `service:create`; com
    `status` 1, também `service:publish`. Campos desconhecidos são ignorados. Corpo de até 512 KiB.
    """
    created = await service.create_service_once(call, body)
    return respond_created(created, f"services/{read_id(created)}", format_etag(1))


@routes.get(
    "/api/v1/admin/services/{id}",
    "search.read_service",
    action("service:read"),
    "Um serviço do catálogo, em qualquer situação",
)
async def get_service(call: Call, id: ServiceIdInPath) -> Response[StaffService]:
    """Devolve um serviço com todos os campos e o número da versão. Envie o `ETag` em `If-Match` para gravar."""
    return _respond(await service.read_service(call, id))


@routes.put(
    "/api/v1/admin/services/{id}",
    "search.update_service",
    action("service:update").testing(PUBLISH),
    "Altera um serviço",
    description=(
        "Grava os campos enviados sobre o serviço: os ausentes ficam como estão ou voltam ao padrão, conforme o campo. "
        "Sem mudança, não há versão nova. `change_reason` fica na versão: com `awaiting_approval` falso, por que o "
        f"serviço voltou a quem o edita. Exige a ação `service:update`. {_PUBLISHED_TOO} Com `If-Match`, só grava "
        "se o serviço não mudou desde que foi lido (senão, 412)."
    ),
    example=_EXAMPLE,
    errors=[409, 412],
)
async def put_service(call: Call, id: ServiceIdInPath, body: ServiceChangeBody) -> Response[StaffService]:
    return _respond(await service.update_service(call, id, body))


@routes.delete(
    "/api/v1/admin/services/{id}",
    "search.delete_service",
    action("service:delete"),
    "Exclui um serviço",
    status=204,
    errors=[412],
)
async def delete_service(call: Call, id: ServiceIdInPath) -> None:
    """Tira o serviço do catálogo, da busca e das listas; as versões e os endereços ficam, e uma versão pode voltar. Com
    `If-Match`, só exclui se o serviço não mudou desde que foi lido (senão, 412).
    """
    await service.delete_service(call, id)


@routes.patch(
    "/api/v1/admin/services/{id}/publish",
    "search.publish_service",
    action(PUBLISH),
    "Publica um serviço",
    dialect=ERROR_WITH_MAPPING,
    errors=[409, 412],
    query=PublishQuery,
)
async def publish_service(call: Call, id: ServiceIdInPath, query: Query) -> Response[StaffService]:
    """Publica o serviço. Se ele já está publicado, nada muda. Com `origem` e `id_servico_antigo`, também liga esse
    número antigo ao serviço. Se o número já está ligado a outro serviço, a resposta é 409, com o tombamento que existe,
    e nada é publicado.
    """
    return _respond(await service.publish_service(call, id, old=parse_publication(query)))


@routes.patch(
    "/api/v1/admin/services/{id}/unpublish",
    "search.unpublish_service",
    action(PUBLISH),
    "Tira um serviço do ar",
    errors=[412],
)
async def unpublish_service(call: Call, id: ServiceIdInPath) -> Response[StaffService]:
    """Tira o serviço do ar: ele volta a esperar aprovação e mantém `published_at`. Se ele não está publicado, nada
    muda.
    """
    return _respond(await service.unpublish_service(call, id))


@routes.post(
    "/api/v1/admin/services/{id}/rollback",
    "search.roll_back_service",
    action("service:rollback").testing(PUBLISH),
    "Volta um serviço a uma versão anterior",
    description=(
        "Grava o conteúdo de uma versão anterior como versão nova; a situação, o autor e o identificador ficam. Também "
        f"traz de volta um serviço excluído, em edição. Exige a ação `service:rollback`. {_PUBLISHED_TOO}"
    ),
    example={"to_version": 1, "change_reason": "O texto anterior é o correto."},
    errors=[409, 412],
)
async def roll_back_service(call: Call, id: ServiceIdInPath, body: ServiceRollbackBody) -> Response[RolledBackService]:
    return _respond(await service.roll_back_service(call, id, body))


@sending(ETAG)
def _respond(found: T) -> Response[T]:
    """Respond with the service and its ETag."""
    return respond_to_staff(found, {ETAG.name: format_etag(found.version)})


FEATURE = Feature(
    routes=routes.declared, imports=IMPORTS, exports=Exports(tables=("search.service_head", "search.service_slugs"))
)
