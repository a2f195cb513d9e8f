"""How a driver link is shown to one of its two people."""

from collections.abc import Mapping

from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.drivers.records import Link, LinkWithVehicle
from balcao.registry.mobility.drivers.schemas import Conductor, DrivenVehicle, VehicleInvitation
from balcao.registry.mobility.people import Contact, format_cpf

NOBODY = Contact(None, None, None)


def to_conductor(link: Link, viewer: Cpf, contacts: Mapping[Cpf, Contact]) -> Conductor:
    """Return the link as `viewer` sees it; `contacts` holds what the records of accepted drivers say."""
    own = contacts.get(link.conductor_cpf, NOBODY) if link.is_accepted else NOBODY
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
        # An erasure of the inviter revokes the invitation, so a pending one has theirs.
        invited_by_cpf=format_cpf(link.invited_by_cpf or viewer, viewer),
        owner_name=(owners.get(invited.owner_cpf, NOBODY) if invited.owner_cpf else NOBODY).name,
        vehicle=invited.vehicle,
        created_at=link.created_at,
    )


def to_driven_vehicle(linked: LinkWithVehicle, driver: Cpf) -> DrivenVehicle:
    """Return a link as its driver's export has it."""
    link = to_conductor(linked.link, driver, {})
    return DrivenVehicle(**{name: getattr(link, name) for name in link.__struct_fields__}, vehicle=linked.vehicle)
