"""Wire types of driver links and invitations (rules: registry 3.6)."""

from datetime import datetime

import msgspec

from balcao.registry.mobility.invitations.schemas import EmailStatus, InvitedVehicle, LinkStatus


class ConductorInvite(msgspec.Struct):
    cpf: str
    email: str
    name: str | None = None
    phone: str | None = None


class InvitationAnswer(msgspec.Struct):
    """`status` is `accepted` or `rejected`."""

    status: str


class Conductor(msgspec.Struct, kw_only=True):
    """While pending it shows what the owner typed, once accepted the driver's own values where there are any."""

    id: str
    vehicle_id: str
    conductor_cpf: str
    conductor_name: str | None
    notify_email: str | None
    phone: str | None
    status: LinkStatus
    invited_by_cpf: str | None
    email_status: EmailStatus
    email_attempted_at: datetime | None
    created_at: datetime
    updated_at: datetime
    responded_at: datetime | None


class Conductors(msgspec.Struct):
    data: list[Conductor]


class VehicleInvitation(msgspec.Struct, kw_only=True):
    id: str
    vehicle_id: str
    status: LinkStatus
    invited_by_cpf: str
    owner_name: str | None
    vehicle: InvitedVehicle
    created_at: datetime


class VehicleInvitations(msgspec.Struct):
    data: list[VehicleInvitation]


class DrivenVehicle(Conductor, kw_only=True):
    """A link in its driver's export."""

    vehicle: InvitedVehicle
