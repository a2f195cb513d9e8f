"""The API operations on reference data: departments, message subjects, and the vehicle catalogue."""

from datetime import datetime
from typing import Any

import msgspec

from balcao.web.api import Api, quoted
from balcao.web.envelopes import Categories, Data, Total

_REGISTRY = "/registry/v1"
_CATEGORIES = f"{_REGISTRY}/admin/notification-categories"
_VEHICLES = f"{_REGISTRY}/admin/mobilidade"


class Department(msgspec.Struct):
    cd_ua: str
    sigla_ua: str
    nome_ua: str
    cd_ua_pai: str | None
    nivel: int


class Departments(msgspec.Struct):
    departments: list[Department]
    pagination: Total


class Category(msgspec.Struct):
    id: str
    name: str
    description: str
    default_opt_in: bool
    active: bool
    order: int


class Brand(msgspec.Struct):
    id: str
    name: str
    is_other: bool
    deleted_at: datetime | None


class Model(msgspec.Struct):
    id: str
    brand_id: str
    name: str
    vehicle_type: str
    is_other: bool
    deleted_at: datetime | None


async def list_departments(api: Api, *, search: str | None, page: int, size: int) -> Departments:
    query = {"search": search, "page": page, "per_page": size}
    return await api.get(f"{_REGISTRY}/departments", Departments, query)


async def list_categories(api: Api) -> Categories[Category]:
    return await api.get(_CATEGORIES, Categories[Category])


async def create_category(api: Api, body: dict[str, Any]) -> Category:
    return await api.send("POST", _CATEGORIES, Category, body)


async def change_category(api: Api, category: str, body: dict[str, Any]) -> Category:
    return await api.send("PUT", f"{_CATEGORIES}/{quoted(category)}", Category, body)


async def list_brands(api: Api) -> Data[Brand]:
    return await api.get(f"{_VEHICLES}/vehicle-brands", Data[Brand])


async def list_models(api: Api) -> Data[Model]:
    return await api.get(f"{_VEHICLES}/vehicle-models", Data[Model])


async def create_brand(api: Api, name: str) -> Brand:
    return await api.send("POST", f"{_VEHICLES}/vehicle-brands", Brand, {"name": name})


async def delete_brand(api: Api, brand: str) -> None:
    await api.send("DELETE", f"{_VEHICLES}/vehicle-brands/{quoted(brand)}", type(None))


async def create_model(api: Api, brand: str, name: str, kind: str) -> Model:
    body = {"brand_id": brand, "name": name, "vehicle_type": kind}
    return await api.send("POST", f"{_VEHICLES}/vehicle-models", Model, body)


async def delete_model(api: Api, model: str) -> None:
    await api.send("DELETE", f"{_VEHICLES}/vehicle-models/{quoted(model)}", type(None))
