"""How a driver link is shown to one of its two people."""

from collections.abc import Mapping

from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.drivers.schemas import Conductor, DrivenVehicle, VehicleInvitation
from balcao.registry.mobility.invitations.records import Link, Offered
from balcao.registry.mobility.invitations.schemas import LinkStatus
from balcao.registry.mobility.people import Contact, shown

NOBODY = Contact(None, None, None)


def conductor(link: Link, viewer: Cpf, known: Mapping[Cpf, Contact]) -> Conductor:
    """`known` is what the records of accepted drivers say."""
    own = known.get(link.conductor_cpf, NOBODY) if link.status is LinkStatus.ACCEPTED else NOBODY
    return Conductor(
        id=link.id,
        vehicle_id=link.vehicle_id,
        conductor_cpf=shown(link.conductor_cpf, viewer),
        conductor_name=own.name or link.conductor_name,
        notify_email=own.email or link.notify_email,
        phone=own.phone or link.phone,
        status=link.status,
        invited_by_cpf=shown(link.invited_by_cpf, viewer) if link.invited_by_cpf else None,
        email_status=link.email_status,
        email_attempted_at=link.email_attempted_at,
        created_at=link.created_at,
        updated_at=link.updated_at,
        responded_at=link.responded_at,
    )


def invitation(offered: Offered, viewer: Cpf, owners: Mapping[Cpf, Contact]) -> VehicleInvitation:
    link = offered.link
    return VehicleInvitation(
        id=link.id,
        vehicle_id=link.vehicle_id,
        status=link.status,
        # An erasure of the inviter revokes the invitation, so a pending one has theirs.
        invited_by_cpf=shown(link.invited_by_cpf or viewer, viewer),
        owner_name=(owners.get(offered.owner_cpf, NOBODY) if offered.owner_cpf else NOBODY).name,
        vehicle=offered.vehicle,
        created_at=link.created_at,
    )


def driven(offered: Offered, driver: Cpf) -> DrivenVehicle:
    link = conductor(offered.link, driver, {})
    return DrivenVehicle(**{name: getattr(link, name) for name in link.__struct_fields__}, vehicle=offered.vehicle)
