"""What is stored of a driver: the link between a vehicle and whom its owner invited, in whatever state."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.drivers.schemas import EmailStatus, InvitedVehicle, LinkStatus


class Link(msgspec.Struct, frozen=True):
    """A row as it is stored: with what the owner typed."""

    id: str
    vehicle_id: str
    conductor_cpf: Cpf
    conductor_name: str | None
    notify_email: str | None
    phone: str | None
    status: LinkStatus
    invited_by_cpf: Cpf | None
    email_status: EmailStatus
    email_attempted_at: datetime | None
    created_at: datetime
    updated_at: datetime
    responded_at: datetime | None

    @property
    def is_accepted(self) -> bool:
        return self.status is LinkStatus.ACCEPTED


@dataclass(frozen=True)
class LinkWithVehicle:
    """A link with what its driver sees of the vehicle; the owner is None once the vehicle is erased."""

    link: Link
    vehicle: InvitedVehicle
    owner_cpf: Cpf | None


@dataclass(frozen=True)
class Invitee:
    """What the owner typed of the person to invite, in normal form."""

    cpf: Cpf
    email: str
    name: str | None
    phone: str | None


@dataclass(frozen=True)
class InvitationEmail:
    """An e-mail to send now; `tries` counts this one."""

    to: str
    invitee: Cpf
    tries: int
