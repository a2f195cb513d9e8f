"""Routes for the vehicle catalogue: read the options for the vehicle form, and administer the catalogue."""

from balcao.core.access.rules import action, authenticated
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.dialects import ERROR_AND_MESSAGE
from balcao.core.http.parameters import Query
from balcao.core.http.responses import Response, created, with_etag
from balcao.registry.mobility.catalogue import administration, service, store
from balcao.registry.mobility.catalogue.imports import IMPORTS
from balcao.registry.mobility.catalogue.paths import BrandId, ModelId
from balcao.registry.mobility.catalogue.schemas import (
    AnyBrandQuery,
    BrandQuery,
    VehicleBrand,
    VehicleBrandBody,
    VehicleBrands,
    VehicleColours,
    VehicleModel,
    VehicleModelBody,
    VehicleModelChange,
    VehicleModels,
)
from balcao.registry.routes import ROUTES

# The response is the same for all callers with a token. A browser may cache it, but must revalidate it before each use.
REVALIDATED = "private, no-cache"
ADMINISTRATION = action("vehicle_catalog:write")


routes = ROUTES.extend(tags=["mobility"], dialect=ERROR_AND_MESSAGE)


@routes.get(
    "/mobilidade/vehicle-brands",
    "registry.list_vehicle_brands",
    authenticated(),
    "Marcas de veículos",
    errors=[304],
    may_lag=True,
)
async def get_brands(call: Call) -> Response[VehicleBrands]:
    """Devolve as marcas ativas, em ordem alfabética, com `Outro` no fim. Disponível para qualquer pessoa ou cliente com
    token. Com o `ETag` da última leitura em `If-None-Match`, a resposta é 304, sem corpo, se nada mudou.
    """
    return with_etag(await service.list_brands(call), call, REVALIDATED)


@routes.get(
    "/mobilidade/vehicle-models",
    "registry.list_vehicle_models",
    authenticated(),
    "Modelos de veículos de uma marca",
    errors=[304],
    query=BrandQuery,
    may_lag=True,
)
async def get_models(call: Call, query: Query) -> Response[VehicleModels]:
    """Devolve os modelos ativos da marca `brand_id`, em ordem alfabética, com `Outro` no fim. Para uma marca
    desconhecida, a lista é vazia. Disponível para qualquer pessoa ou cliente com token.
    """
    return with_etag(await service.list_models(call, query.get("brand_id")), call, REVALIDATED)


@routes.get(
    "/mobilidade/vehicle-colors",
    "registry.list_vehicle_colours",
    authenticated(),
    "Cores de veículos",
    errors=[304],
)
async def get_colours(call: Call) -> Response[VehicleColours]:
    """Devolve as cores aceitas no registro de um veículo, na ordem em que os formulários as mostram. Disponível para
    qualquer pessoa ou cliente com token.
    """
    return with_etag(await service.list_colours(), call, REVALIDATED)


@routes.get(
    "/admin/mobilidade/vehicle-brands",
    "registry.list_kept_vehicle_brands",
    ADMINISTRATION,
    "Marcas de veículos, com as excluídas",
)
async def get_kept_brands(call: Call) -> VehicleBrands:
    """Devolve todas as marcas do catálogo, com a data de exclusão das que foram excluídas. Disponível para quem
    administra o catálogo.
    """
    return await service.list_kept_brands(call)


@routes.get(
    "/admin/mobilidade/vehicle-models",
    "registry.list_kept_vehicle_models",
    ADMINISTRATION,
    "Modelos de veículos, com os excluídos",
    query=AnyBrandQuery,
)
async def get_kept_models(call: Call, query: Query) -> VehicleModels:
    """Devolve os modelos do catálogo, de uma marca ou de todas, com a data de exclusão dos que foram excluídos.
    Disponível para quem administra o catálogo.
    """
    return await service.list_kept_models(call, query.get("brand_id"))


@routes.post(
    "/admin/mobilidade/vehicle-brands",
    "registry.add_vehicle_brand",
    ADMINISTRATION,
    "Acrescenta uma marca",
    status=201,
    errors=[409],
)
async def post_brand(call: Call, body: VehicleBrandBody) -> Response[VehicleBrand]:
    """Cria uma marca. O id é formado pelo nome. Se uma marca ativa já tem esse nome, ou se o id já existe, mesmo em uma
    marca excluída, a resposta é 409.
    """
    return created(await administration.add_brand(call, body))


@routes.patch(
    "/admin/mobilidade/vehicle-brands/{brand_id}",
    "registry.rename_vehicle_brand",
    ADMINISTRATION,
    "Muda o nome de uma marca",
    example={"name": "Brisa do Mar"},
    errors=[409],
)
async def rename_brand(call: Call, brand_id: BrandId, body: VehicleBrandBody) -> VehicleBrand:
    """Muda o nome da marca; o id continua o mesmo. A opção `Outro` não pode mudar (400). Se outra marca ativa já tem
    esse nome, a resposta é 409.
    """
    return await administration.rename_brand(call, brand_id, body)


@routes.delete(
    "/admin/mobilidade/vehicle-brands/{brand_id}",
    "registry.remove_vehicle_brand",
    ADMINISTRATION,
    "Exclui uma marca que nenhum modelo ou veículo usa",
    status=204,
    errors=[400, 409],
)
async def remove_brand(call: Call, brand_id: BrandId) -> None:
    """Exclui a marca do catálogo. O id nunca é reutilizado. Enquanto algum modelo ou veículo usa a marca, a resposta é
    409.
    """
    await administration.remove_brand(call, brand_id)


@routes.post(
    "/admin/mobilidade/vehicle-models",
    "registry.add_vehicle_model",
    ADMINISTRATION,
    "Acrescenta um modelo a uma marca",
    example={"brand_id": "brand_brisa", "name": "Serrana", "vehicle_type": "bicicleta_eletrica"},
    status=201,
    errors=[404, 409],
)
async def post_model(call: Call, body: VehicleModelBody) -> Response[VehicleModel]:
    """Cria um modelo de uma marca ativa. O id é formado pelo nome da marca e pelo do modelo. Se a marca já tem um
    modelo com esse nome, ou se o id já existe, mesmo em um modelo excluído, a resposta é 409.
    """
    return created(await administration.add_model(call, body))


@routes.patch(
    "/admin/mobilidade/vehicle-models/{model_id}",
    "registry.change_vehicle_model",
    ADMINISTRATION,
    "Muda nome, marca ou tipo de um modelo",
    example={"name": "Urbana Plus"},
    errors=[409],
)
async def patch_model(call: Call, model_id: ModelId, body: VehicleModelChange) -> VehicleModel:
    """Muda o nome, a marca ou o tipo do modelo; o id continua o mesmo. A marca e o tipo não podem mudar enquanto algum
    veículo usa o modelo (409).
    """
    return await administration.change_model(call, model_id, body)


@routes.delete(
    "/admin/mobilidade/vehicle-models/{model_id}",
    "registry.remove_vehicle_model",
    ADMINISTRATION,
    "Exclui um modelo que nenhum veículo usa",
    status=204,
    errors=[400, 409],
)
async def remove_model(call: Call, model_id: ModelId) -> None:
    """Exclui o modelo do catálogo. O id nunca é reutilizado. Enquanto algum veículo usa o modelo, a resposta é 409."""
    await administration.remove_model(call, model_id)


FEATURE = Feature(routes=routes.declared, imports=IMPORTS, exports=store.EXPORTS)
