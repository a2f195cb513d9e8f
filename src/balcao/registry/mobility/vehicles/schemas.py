"""Wire types of the vehicles (rules: registry 3.6)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from balcao.core.http.paging import Pagination
from balcao.registry.mobility.catalogue.schemas import VehicleType

# Beyond it JSON readers lose digits.
FileSize = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]


class VehicleCreate(msgspec.Struct, kw_only=True):
    """One of three flows: a model of the catalogue, a brand of it with a model of one's own, both of one's own."""

    display_name: str
    color: str
    serial_number: str
    serial_number_photo_url: str
    vehicle_photo_url: str
    has_invoice: bool
    self_declaration: bool
    brand_id: str | None = None
    brand_other: str | None = None
    model_id: str | None = None
    model_other: str | None = None
    vehicle_type: str | None = None
    invoice_photo_url: str | None = None
    serial_number_photo_file_name: str | None = None
    serial_number_photo_file_size: FileSize | None = None
    vehicle_photo_file_name: str | None = None
    vehicle_photo_file_size: FileSize | None = None
    invoice_photo_file_name: str | None = None
    invoice_photo_file_size: FileSize | None = None


class VehicleUpdate(msgspec.Struct, kw_only=True):
    """What is absent stays; null or empty clears a brand or model."""

    display_name: str | UnsetType = UNSET
    color: str | UnsetType = UNSET
    serial_number: str | UnsetType = UNSET
    serial_number_photo_url: str | UnsetType = UNSET
    vehicle_photo_url: str | UnsetType = UNSET
    has_invoice: bool | UnsetType = UNSET
    brand_id: str | UnsetType | None = UNSET
    brand_other: str | UnsetType | None = UNSET
    model_id: str | UnsetType | None = UNSET
    model_other: str | UnsetType | None = UNSET
    vehicle_type: str | UnsetType = UNSET
    invoice_photo_url: str | UnsetType | None = UNSET
    serial_number_photo_file_name: str | UnsetType = UNSET
    serial_number_photo_file_size: FileSize | UnsetType = UNSET
    vehicle_photo_file_name: str | UnsetType = UNSET
    vehicle_photo_file_size: FileSize | UnsetType = UNSET
    invoice_photo_file_name: str | UnsetType = UNSET
    invoice_photo_file_size: FileSize | UnsetType = UNSET


class VehicleRole(StrEnum):
    OWNER = "owner"
    CONDUCTOR = "conductor"


class VehicleItem(msgspec.Struct, kw_only=True):
    """`conductor_id` is there for drivers only: the id of their own link."""

    id: str
    display_name: str | None
    registration_number: str
    brand_id: str | None
    brand_other: str | None
    brand_name: str | None
    model_id: str | None
    model_other: str | None
    model_name: str | None
    vehicle_type: VehicleType
    color: str
    vehicle_photo_url: str | None
    role: VehicleRole
    conductor_id: str | UnsetType = UNSET


class VehicleDetail(VehicleItem, kw_only=True):
    """Of the owner what the merged record says now; `deleted_at` only if set."""

    owner_cpf: str
    owner_name: str | None
    owner_phone: str | None
    owner_email: str | None
    serial_number: str | None
    serial_number_photo_url: str | None
    serial_number_photo_file_name: str | None
    serial_number_photo_file_size: int | None
    vehicle_photo_file_name: str | None
    vehicle_photo_file_size: int | None
    has_invoice: bool
    invoice_photo_url: str | None
    invoice_photo_file_name: str | None
    invoice_photo_file_size: int | None
    self_declaration: bool
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | UnsetType = UNSET


class Vehicles(msgspec.Struct):
    data: list[VehicleItem]
    pagination: Pagination
