"""Routes of the vehicle catalogue: the reads of whoever registers a vehicle, and its administration."""

from typing import Any

from litestar import Request, Response
from litestar.params import JSONBody

from balcao.core.access.rules import action, authenticated
from balcao.core.http.operations import CurrentCall, operation, query_of
from balcao.core.http.responses import created, with_etag
from balcao.registry.mobility.catalogue import administration, service
from balcao.registry.mobility.catalogue.paths import BrandId, ModelId
from balcao.registry.mobility.catalogue.schemas import (
    AnyBrandQuery,
    BrandQuery,
    KeptVehicleBrand,
    KeptVehicleBrands,
    KeptVehicleModel,
    KeptVehicleModels,
    VehicleBrandBody,
    VehicleBrands,
    VehicleColours,
    VehicleModelBody,
    VehicleModelChange,
    VehicleModels,
)

# The same for everybody with a token: to be kept, but asked for again before use.
REVALIDATED = "private, no-cache"
ADMINISTRATION = action("vehicle_catalog:write")


@operation(
    "GET",
    "/mobilidade/vehicle-brands",
    "registry.list_vehicle_brands",
    authenticated(),
    "Marcas de veículos",
    errors=[304],
    tags=["mobility"],
)
async def list_brands(call: CurrentCall) -> Response[VehicleBrands]:
    return with_etag(await service.list_brands(call), call, REVALIDATED)


@operation(
    "GET",
    "/mobilidade/vehicle-models",
    "registry.list_vehicle_models",
    authenticated(),
    "Modelos de veículos de uma marca",
    errors=[304, 400],
    query=BrandQuery,
    tags=["mobility"],
)
async def list_models(call: CurrentCall, request: Request[Any, Any, Any]) -> Response[VehicleModels]:
    return with_etag(await service.list_models(call, query_of(request).get("brand_id")), call, REVALIDATED)


@operation(
    "GET",
    "/mobilidade/vehicle-colors",
    "registry.list_vehicle_colours",
    authenticated(),
    "Cores de veículos",
    errors=[304],
    tags=["mobility"],
)
async def list_colours(call: CurrentCall) -> Response[VehicleColours]:
    return with_etag(await service.list_colours(), call, REVALIDATED)


@operation(
    "GET",
    "/admin/mobilidade/vehicle-brands",
    "registry.list_kept_vehicle_brands",
    ADMINISTRATION,
    "Marcas de veículos, com as excluídas",
    tags=["mobility"],
)
async def list_kept_brands(call: CurrentCall) -> KeptVehicleBrands:
    return await service.list_kept_brands(call)


@operation(
    "GET",
    "/admin/mobilidade/vehicle-models",
    "registry.list_kept_vehicle_models",
    ADMINISTRATION,
    "Modelos de veículos, com os excluídos",
    query=AnyBrandQuery,
    tags=["mobility"],
)
async def list_kept_models(call: CurrentCall, request: Request[Any, Any, Any]) -> KeptVehicleModels:
    return await service.list_kept_models(call, query_of(request).get("brand_id"))


@operation(
    "POST",
    "/admin/mobilidade/vehicle-brands",
    "registry.add_vehicle_brand",
    ADMINISTRATION,
    "Acrescenta uma marca",
    status=201,
    errors=[400, 409],
    body=VehicleBrandBody,
    tags=["mobility"],
)
async def add_brand(call: CurrentCall, data: JSONBody[VehicleBrandBody]) -> Response[KeptVehicleBrand]:
    return created(await administration.add_brand(call, data))


@operation(
    "PATCH",
    "/admin/mobilidade/vehicle-brands/{brand_id:str}",
    "registry.rename_vehicle_brand",
    ADMINISTRATION,
    "Muda o nome de uma marca",
    errors=[400, 404, 409],
    body=VehicleBrandBody,
    tags=["mobility"],
)
async def rename_brand(call: CurrentCall, brand_id: BrandId, data: JSONBody[VehicleBrandBody]) -> KeptVehicleBrand:
    return await administration.rename_brand(call, brand_id, data)


@operation(
    "DELETE",
    "/admin/mobilidade/vehicle-brands/{brand_id:str}",
    "registry.remove_vehicle_brand",
    ADMINISTRATION,
    "Exclui uma marca que nenhum modelo ou veículo usa",
    status=204,
    errors=[400, 404, 409],
    tags=["mobility"],
)
async def remove_brand(call: CurrentCall, brand_id: BrandId) -> None:
    await administration.remove_brand(call, brand_id)


@operation(
    "POST",
    "/admin/mobilidade/vehicle-models",
    "registry.add_vehicle_model",
    ADMINISTRATION,
    "Acrescenta um modelo a uma marca",
    status=201,
    errors=[400, 404, 409],
    body=VehicleModelBody,
    tags=["mobility"],
)
async def add_model(call: CurrentCall, data: JSONBody[VehicleModelBody]) -> Response[KeptVehicleModel]:
    return created(await administration.add_model(call, data))


@operation(
    "PATCH",
    "/admin/mobilidade/vehicle-models/{model_id:str}",
    "registry.change_vehicle_model",
    ADMINISTRATION,
    "Muda nome, marca ou tipo de um modelo",
    errors=[400, 404, 409],
    body=VehicleModelChange,
    tags=["mobility"],
)
async def change_model(call: CurrentCall, model_id: ModelId, data: JSONBody[VehicleModelChange]) -> KeptVehicleModel:
    return await administration.change_model(call, model_id, data)


@operation(
    "DELETE",
    "/admin/mobilidade/vehicle-models/{model_id:str}",
    "registry.remove_vehicle_model",
    ADMINISTRATION,
    "Exclui um modelo que nenhum veículo usa",
    status=204,
    errors=[400, 404, 409],
    tags=["mobility"],
)
async def remove_model(call: CurrentCall, model_id: ModelId) -> None:
    await administration.remove_model(call, model_id)


ROUTES = [
    list_brands,
    list_models,
    list_colours,
    list_kept_brands,
    list_kept_models,
    add_brand,
    rename_brand,
    remove_brand,
    add_model,
    change_model,
    remove_model,
]
