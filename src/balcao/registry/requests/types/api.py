"""Routes for request types."""

from balcao.core.access.rules import action, public
from balcao.core.context.call import Call
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.http.operations import FORM_BODY
from balcao.core.http.paging import PageInQuery
from balcao.core.http.responses import PUBLIC, Response, created, stored, with_etag
from balcao.registry.requests.types import service
from balcao.registry.requests.types.paths import TypeInPath
from balcao.registry.requests.types.schemas import Definition, RequestType, RequestTypes, TypeCreation, TypeVersions
from balcao.registry.routes import ROUTES

ADMIN = "/admin/request-types"
MAY_WRITE = action("request_types:write")
# The editors' lists may not be reused without revalidation, so that editors always see their last change.
REVALIDATED = "private, no-cache"

routes = ROUTES.extend(tags=["requests"], body_limit=FORM_BODY)


@routes.get(
    "/request-types",
    "registry.list_request_types",
    public(),
    "Tipos de pedido que se podem fazer",
    errors=[304],
    may_lag=True,
)
async def get_request_types(call: Call) -> Response[RequestTypes]:
    """Devolve os tipos de pedido ativos, na versão atual, com as perguntas de cada um, por assunto e nome. Quem faz
    um pedido envia a `version` cujas perguntas mostrou. Operação pública.
    """
    return with_etag(await service.list_request_types(call, inactive=False), call, PUBLIC)


@routes.get(
    "/request-types/{type_id}",
    "registry.read_request_type",
    public(),
    "Um tipo de pedido",
    errors=[304],
    may_lag=True,
)
async def get_request_type(call: Call, type_id: TypeInPath) -> Response[RequestType]:
    """Devolve um tipo de pedido ativo na versão atual. Operação pública; 404 se ele não existe ou não é mais
    atendido.
    """
    return with_etag(await service.read_request_type(call, type_id, inactive=False), call, PUBLIC)


@routes.get(
    ADMIN,
    "registry.list_all_request_types",
    MAY_WRITE,
    "Tipos de pedido, também os inativos",
    errors=[304],
)
async def get_all_request_types(call: Call) -> Response[RequestTypes]:
    """Devolve todos os tipos de pedido na versão atual, inclusive os desativados."""
    return with_etag(await service.list_request_types(call, inactive=True), call, REVALIDATED)


@routes.get(
    f"{ADMIN}/{{type_id}}",
    "registry.read_any_request_type",
    MAY_WRITE,
    "Um tipo de pedido, também inativo",
    errors=[304],
)
async def get_any_request_type(call: Call, type_id: TypeInPath) -> Response[RequestType]:
    """Devolve um tipo de pedido na versão atual, também se foi desativado. O `ETag` serve ao `If-Match` de uma
    alteração.
    """
    return with_etag(await service.read_request_type(call, type_id, inactive=True), call, REVALIDATED)


@routes.get(
    f"{ADMIN}/{{type_id}}/versions",
    "registry.list_request_type_versions",
    MAY_WRITE,
    "Versões de um tipo de pedido",
    errors=[304],
)
async def get_type_versions(call: Call, type_id: TypeInPath, page: PageInQuery) -> Response[TypeVersions]:
    """Devolve uma página das versões de um tipo, as mais novas primeiro. Cada pedido guarda a versão das suas
    respostas.
    """
    return with_etag(await service.list_type_versions(call, type_id, page), call, REVALIDATED)


@routes.post(
    ADMIN,
    "registry.create_request_type",
    MAY_WRITE,
    "Cria um tipo de pedido",
    status=201,
    errors=[409],
    example={
        "id": "banco_quebrado",
        "name": "Banco de praça quebrado",
        "category": "Praças e parques",
        "fields": [{"id": "local", "kind": "place", "label": "Onde fica o banco?", "required": True}],
        "departments": ["1000"],
        "deadline_days": 15,
        "without_login": True,
    },
)
async def post_request_type(call: Call, body: TypeCreation) -> Response[RequestType]:
    """Cria um tipo de pedido na versão 1. O `id` não pode mudar depois. Um tipo com `without_login` não pode ter uma
    pergunta `personal`.
    """
    return created(await service.create_request_type(call, body))


@routes.put(
    f"{ADMIN}/{{type_id}}",
    "registry.replace_request_type",
    MAY_WRITE,
    "Altera um tipo de pedido, em uma nova versão",
    errors=[412],
    example={
        "name": "Buraco na rua",
        "category": "Conservação de vias",
        "fields": [{"id": "local", "kind": "place", "label": "Onde fica o buraco?", "required": True}],
        "departments": ["1000"],
        "deadline_days": 10,
        "without_login": True,
    },
)
async def put_request_type(call: Call, type_id: TypeInPath, body: Definition) -> Response[RequestType]:
    """Troca a definição inteira do tipo. Se ela muda, cria uma nova versão, que vale para os próximos pedidos; os
    pedidos já feitos mantêm a deles. Com `If-Match`, a resposta é 412 se o tipo mudou desde a leitura.
    """
    return stored(await service.replace_request_type(call, type_id, body))


FEATURE = Feature(
    routes=routes.declared, exports=Exports(tables=("registry.request_type", "registry.request_type_version"))
)
