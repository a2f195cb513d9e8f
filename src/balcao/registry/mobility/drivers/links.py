"""Driver links: their data, their states (rules: registry 4.8), and how the owner and the driver see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import msgspec

from balcao.core.database.pool import Row
from balcao.core.database.results import read_part
from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility import people
from balcao.registry.mobility.drivers.schemas import (
    Conductor,
    DrivenVehicle,
    EmailStatus,
    InvitedVehicle,
    LinkStatus,
    VehicleInvitation,
)
from balcao.registry.mobility.people import Contact, format_cpf

OPEN = frozenset({LinkStatus.PENDING, LinkStatus.ACCEPTED})
_ANSWERS = {LinkStatus.ACCEPTED, LinkStatus.REJECTED}
NO_CONTACT = Contact(None, None, None)


class Link(msgspec.Struct, frozen=True):
    """A stored driver link, with the data that the owner typed."""

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
    """A link, with the vehicle as the driver sees it. The owner is None after the vehicle is erased."""

    link: Link
    vehicle: InvitedVehicle
    owner_cpf: Cpf | None


class ReceivedInvitation(NamedTuple):
    """A link whose driver is about to answer, with the driver's contact data."""

    link: Link
    driver: Contact

    @classmethod
    def from_row(cls, row: Row) -> "ReceivedInvitation":
        """Build the invitation from a row with the link's columns and the driver's record."""
        link = read_part(Link, row)
        return cls(link, people.parse_contact(link.conductor_cpf, row["driver"]))


class VehicleLinks(NamedTuple):
    """The vehicle to which a driver is invited, and the current time.

    `links` maps the ids of open links to drivers' CPFs.
    """

    vehicle_id: str
    owner: Cpf
    links: Mapping[str, Cpf]
    moment: datetime

    @classmethod
    def from_row(cls, row: Row) -> "VehicleLinks":
        """Build the object from a row returned by `read_vehicle_links`."""
        return cls(row["id"], Cpf(row["owner_cpf"]), parse_open_links(row["links"]), row["moment"])


def parse_open_links(document: str) -> Mapping[str, Cpf]:
    """Parse the result of `open_links_sql`: the driver's CPF for each link id."""
    return {id_: Cpf(digits) for id_, digits in msgspec.json.decode(document, type=dict[str, str]).items()}


@dataclass(frozen=True)
class Invitee:
    """The person to invite: the data that the owner typed, normalised."""

    cpf: Cpf
    email: str
    name: str | None
    phone: str | None


@dataclass(frozen=True)
class InvitationEmail:
    """An e-mail to send now. `tries` includes the current attempt."""

    to: str
    invitee: Cpf
    tries: int


def parse_invitation_answer(word: str) -> LinkStatus:
    """Parse the state that an invitee chooses. Raises Invalid for any state that an invitee may not choose."""
    if word not in _ANSWERS:
        raise Invalid("O campo `status` deve ser um de: accepted, rejected.", code="status-unknown")
    return LinkStatus(word)


def require_pending(present: LinkStatus) -> None:
    """Raise Invalid unless the link is pending: an invitation can be answered only once."""
    if present is not LinkStatus.PENDING:
        raise Invalid("Este convite não está mais pendente.", code="not-pending")


def require_open(present: LinkStatus) -> None:
    """Raise Invalid unless the link is pending or accepted. Other links cannot be removed."""
    if present not in OPEN:
        raise Invalid("Este vínculo não está mais pendente nem aceito.", code="not-open")


def to_conductor(link: Link, viewer: Cpf, contacts: Mapping[Cpf, Contact]) -> Conductor:
    """Return the link as `viewer` sees it. `contacts` contains the contact data of accepted drivers."""
    own = contacts.get(link.conductor_cpf, NO_CONTACT) if link.is_accepted else NO_CONTACT
    return Conductor(
        id=link.id,
        vehicle_id=link.vehicle_id,
        conductor_cpf=format_cpf(link.conductor_cpf, viewer),
        conductor_name=own.name or link.conductor_name,
        notify_email=own.email or link.notify_email,
        phone=own.phone or link.phone,
        status=link.status,
        invited_by_cpf=format_cpf(link.invited_by_cpf, viewer) if link.invited_by_cpf else None,
        email_status=link.email_status,
        email_attempted_at=link.email_attempted_at,
        created_at=link.created_at,
        updated_at=link.updated_at,
        responded_at=link.responded_at,
    )


def to_invitation(invited: LinkWithVehicle, viewer: Cpf, owners: Mapping[Cpf, Contact]) -> VehicleInvitation:
    """Return a pending link as its invitee sees it, with the owner's name from their record."""
    link = invited.link
    return VehicleInvitation(
        id=link.id,
        vehicle_id=link.vehicle_id,
        status=link.status,
        # `invited_by_cpf` is never None here, because erasing the inviter revokes the invitation.
        invited_by_cpf=format_cpf(link.invited_by_cpf or viewer, viewer),
        owner_name=(owners.get(invited.owner_cpf, NO_CONTACT) if invited.owner_cpf else NO_CONTACT).name,
        vehicle=invited.vehicle,
        created_at=link.created_at,
    )


def to_driven_vehicle(linked: LinkWithVehicle, driver: Cpf) -> DrivenVehicle:
    """Return the link for the driver's data export."""
    link = to_conductor(linked.link, driver, {})
    return DrivenVehicle(**{name: getattr(link, name) for name in link.__struct_fields__}, vehicle=linked.vehicle)
