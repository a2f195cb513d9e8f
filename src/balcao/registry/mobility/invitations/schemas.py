"""Wire types that say where an invitation stands (rules: registry 3.6)."""

from enum import StrEnum

import msgspec

from balcao.registry.mobility.catalogue.schemas import VehicleType


class LinkStatus(StrEnum):
    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REVOKED = "revoked"


class EmailStatus(StrEnum):
    """`pending`: not yet taken up; `queued`: being sent, perhaps again."""

    PENDING = "pending"
    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"
    SKIPPED = "skipped"


class InvitedVehicle(msgspec.Struct, kw_only=True):
    display_name: str | None
    brand_label: str | None
    model_label: str | None
    vehicle_type: VehicleType
    color: str
    vehicle_photo_url: str | None
