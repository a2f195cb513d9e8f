"""Wire types of the vehicle catalogue (registry document, 2.7, 2.8 and 3.6)."""

from datetime import datetime
from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType


class VehicleType(StrEnum):
    ELECTRIC_BICYCLE = "bicicleta_eletrica"
    SELF_PROPELLED = "autopropelido"
    MOPED = "ciclomotor"


class Brand(msgspec.Struct, kw_only=True):
    """`is_other` marks the one that stands for "not in the catalogue"."""

    id: str
    name: str
    is_other: bool


class Model(msgspec.Struct, kw_only=True):
    id: str
    brand_id: str
    name: str
    vehicle_type: VehicleType
    is_other: bool


class KeptBrand(Brand, kw_only=True):
    """As administrators see it."""

    deleted_at: datetime | None


class KeptModel(Model, kw_only=True):
    deleted_at: datetime | None


class Brands(msgspec.Struct):
    data: list[Brand]


class Models(msgspec.Struct):
    data: list[Model]


class Colours(msgspec.Struct):
    data: list[str]


class KeptBrands(msgspec.Struct):
    data: list[KeptBrand]


class KeptModels(msgspec.Struct):
    data: list[KeptModel]


class BrandQuery(msgspec.Struct):
    brand_id: str


class AnyBrandQuery(msgspec.Struct):
    brand_id: str | None = None


class BrandBody(msgspec.Struct):
    name: str


class ModelBody(msgspec.Struct):
    """`vehicle_type` is one of VehicleType's words."""

    brand_id: str
    name: str
    vehicle_type: str


class ModelChange(msgspec.Struct):
    """At least one member."""

    name: str | UnsetType = UNSET
    brand_id: str | UnsetType = UNSET
    vehicle_type: str | UnsetType = UNSET
