"""What is stored of a driver: the link between a vehicle and whom its owner invited, in whatever state."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import msgspec

from balcao.core.database.pool import Row
from balcao.core.database.results import read_part
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility import people
from balcao.registry.mobility.drivers.schemas import EmailStatus, InvitedVehicle, LinkStatus
from balcao.registry.mobility.people import Contact


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

    @classmethod
    def from_row(cls, row: Row) -> "LinkWithVehicle":
        """Return what the columns of both hold."""
        owner = row["owner_cpf"]
        return cls(read_part(Link, row), read_part(InvitedVehicle, row), Cpf(owner) if owner else None)


class ReceivedInvitation(NamedTuple):
    """A link as its driver answers it, and how to reach that person."""

    link: Link
    driver: Contact

    @classmethod
    def from_row(cls, row: Row) -> "ReceivedInvitation":
        """Return what the columns of the link and the person's record hold."""
        link = read_part(Link, row)
        return cls(link, people.parse_contact(link.conductor_cpf, row["driver"]))


class VehicleLinks(NamedTuple):
    """A vehicle that somebody is to be invited to: its open links, by id, and what time it is."""

    vehicle_id: str
    owner: Cpf
    links: Mapping[str, Cpf]
    moment: datetime

    @classmethod
    def from_row(cls, row: Row) -> "VehicleLinks":
        """Return what the row of the vehicle holds."""
        return cls(row["id"], Cpf(row["owner_cpf"]), parse_open_links(row["links"]), row["moment"])


def parse_open_links(document: str) -> Mapping[str, Cpf]:
    """Return the drivers by link, from what the expression of `open_links_sql` has read."""
    return {id_: Cpf(digits) for id_, digits in msgspec.json.decode(document, type=dict[str, str]).items()}


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
