"""Wire types of the vehicle catalogue (rules: registry 2.7, 2.8, 3.6)."""

from datetime import datetime
from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType


class VehicleType(StrEnum):
    ELECTRIC_BICYCLE = "bicicleta_eletrica"
    SELF_PROPELLED = "autopropelido"
    MOPED = "ciclomotor"


class VehicleBrand(msgspec.Struct, kw_only=True):
    """`is_other` marks the one that stands for "not in the catalogue"."""

    id: str
    name: str
    is_other: bool


class VehicleModel(msgspec.Struct, kw_only=True):
    id: str
    brand_id: str
    name: str
    vehicle_type: VehicleType
    is_other: bool


class KeptVehicleBrand(VehicleBrand, kw_only=True):
    """As administrators see it."""

    deleted_at: datetime | None


class KeptVehicleModel(VehicleModel, kw_only=True):
    deleted_at: datetime | None


class VehicleBrands(msgspec.Struct):
    data: list[VehicleBrand]


class VehicleModels(msgspec.Struct):
    data: list[VehicleModel]


class VehicleColours(msgspec.Struct):
    data: list[str]


class KeptVehicleBrands(msgspec.Struct):
    data: list[KeptVehicleBrand]


class KeptVehicleModels(msgspec.Struct):
    data: list[KeptVehicleModel]


class BrandQuery(msgspec.Struct):
    brand_id: str


class AnyBrandQuery(msgspec.Struct):
    brand_id: str | None = None


class VehicleBrandBody(msgspec.Struct):
    name: str


class VehicleModelBody(msgspec.Struct):
    """`vehicle_type` is one of VehicleType's words."""

    brand_id: str
    name: str
    vehicle_type: str


class VehicleModelChange(msgspec.Struct):
    """At least one member."""

    name: str | UnsetType = UNSET
    brand_id: str | UnsetType = UNSET
    vehicle_type: str | UnsetType = UNSET
