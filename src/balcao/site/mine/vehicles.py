"""Pages for the light electric vehicles that a citizen owns or may drive, and for the owner's changes to them."""

from collections.abc import Mapping
from typing import Any, ClassVar

from wtforms import StringField

from balcao.core.http.responses import Response
from balcao.site.mine import labels
from balcao.site.mine import vehicle_client as client
from balcao.site.mine.declaration import Pages
from balcao.site.mine.vehicle_client import Vehicle
from balcao.site.mine.visit import Visit
from balcao.web.api import NotFound
from balcao.web.faults import make_not_found
from balcao.web.forms import Form, length, needed
from balcao.web.person.client import Subject

pages = Pages("vehicles", "/veiculos")


class VehicleNameForm(Form):
    members: ClassVar[Mapping[str, str]] = {"name": "display_name"}

    name = StringField("Nome do veículo", validators=[needed("Escreva o nome."), length(1, 50)])


@pages.get("", "Meus veículos")
async def list_vehicles(visit: Visit) -> Response[Any]:
    """List the vehicles that the citizen owns or may drive, and the open invitations to drive a vehicle."""
    subject = await visit.read_subject()
    vehicles = await client.list_vehicles(subject)
    return visit.render(
        "mine/vehicles.html",
        own=[one for one in vehicles.data if one.is_own],
        driven=[one for one in vehicles.data if not one.is_own],
        invitations=await client.list_invitations(subject),
        labels=labels,
    )


@pages.get("/{vehicle_id}", "Meu veículo")
async def show_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Show a vehicle. Its owner also sees who may drive it."""
    subject = await visit.read_subject()
    vehicle = await client.read_vehicle(subject, vehicle_id)
    conductors = await client.list_conductors(subject, vehicle_id) if vehicle.is_own else []
    return visit.render("mine/vehicle.html", title=vehicle.title, vehicle=vehicle, conductors=conductors, labels=labels)


@pages.form("/{vehicle_id}/nome", "Mudar o nome do veículo")
async def rename_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Change the owner's name for the vehicle."""
    subject = await visit.read_subject()
    vehicle = await read_own_vehicle(subject, vehicle_id)
    form = VehicleNameForm(visit, {"name": vehicle.display_name or ""})
    back = visit.address("vehicles.show_vehicle", vehicle_id=vehicle_id)
    if form.is_sent and await form.submit(lambda: client.rename_vehicle(subject, vehicle_id, form.name.data or "")):
        return await visit.redirect(back, "O nome foi guardado.")
    return visit.render("mine/vehicle_name.html", form=form, vehicle=vehicle, back=back, status=form.status)


@pages.form("/{vehicle_id}/excluir", "Excluir o veículo")
async def delete_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Delete a vehicle. First ask for confirmation, because a deletion cannot be undone."""
    subject = await visit.read_subject()
    vehicle = await read_own_vehicle(subject, vehicle_id)
    if visit.is_post:
        await client.delete_vehicle(subject, vehicle_id)
        return await visit.redirect(visit.address("vehicles.list_vehicles"), f"“{vehicle.title}” foi excluído.")
    return visit.render("mine/vehicle_delete.html", vehicle=vehicle)


@pages.form("/{vehicle_id}/deixar", "Deixar de conduzir")
async def leave_vehicle(visit: Visit, vehicle_id: str) -> Response[Any]:
    """Give up driving another person's vehicle. First ask for confirmation, because only the owner can undo it."""
    subject, back = await visit.read_subject(), visit.address("vehicles.list_vehicles")
    try:
        vehicle = await client.read_vehicle(subject, vehicle_id)
        if vehicle.is_own:
            raise make_not_found()
        if visit.is_post:
            await client.remove_conductor(subject, vehicle_id, vehicle.conductor_id)
            return await visit.redirect(back, f"Você não conduz mais “{vehicle.title}”.")
    except NotFound:
        if not visit.is_post:
            raise
        # The button was pressed twice, or the owner was faster.
        return await visit.redirect(back, "Você não conduz este veículo.")
    return visit.render("mine/vehicle_leave.html", vehicle=vehicle)


async def read_own_vehicle(subject: Subject, vehicle_id: str) -> Vehicle:
    """Return a vehicle that the citizen owns. Raises PageFault for a vehicle that they only drive."""
    vehicle = await client.read_vehicle(subject, vehicle_id)
    if not vehicle.is_own:
        raise make_not_found()
    return vehicle
