"""A citizen's vehicles: register, read, change and remove. Staff act on behalf of the person in the path."""

from dataclasses import replace
from functools import partial

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import Repeatable
from balcao.core.context.optimistic import write_optimistically
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.cpf import Cpf
from balcao.core.values.etags import require_match
from balcao.core.values.ids import new_id
from balcao.core.values.page import Page
from balcao.core.values.ready import Ready
from balcao.registry.mobility import people
from balcao.registry.mobility.catalogue import service as catalogue
from balcao.registry.mobility.catalogue.schemas import Chosen
from balcao.registry.mobility.people import Contact
from balcao.registry.mobility.vehicles import form as forms
from balcao.registry.mobility.vehicles import store, views
from balcao.registry.mobility.vehicles.files import write_with_files
from balcao.registry.mobility.vehicles.flows import Choice, resolve_choice
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleDetail, Vehicles, VehicleUpdate
from balcao.registry.mobility.vehicles.store import Vehicle, VisibleVehicle

FIELDS = ["vehicle"]


async def list_vehicles(call: Call, cpf: Cpf, page: Page) -> Vehicles:
    """Return a page of the vehicles that the person owns or drives, newest first."""
    async with call.reading(cpf, FIELDS) as source:
        found, total = await store.list_visible_vehicles(source, cpf, page)
    return Vehicles([views.to_item(vehicle, cpf) for vehicle in found], page.of(total))


async def register_vehicle(call: Call, cpf: Cpf, body: VehicleCreate) -> bytes:
    """Register a vehicle and return it as JSON.

    Raises Invalid for an invalid form, and Conflict if the person has reached the limit.

    The decision is based on data read without a lock. The statement that writes the vehicle checks this data again.
    """
    settings = call.platform.settings
    form = forms.normalize_form(body, settings.mobility_hosts)
    trail = people.encode_trail(call, "create", cpf, [], FIELDS)
    repeatable = Repeatable.of(call, cpf, [cpf.digits, body])

    async def attempt(connection: Connection) -> bytes | None:
        ids = catalogue.check_id(form.brand_id), catalogue.check_id(form.model_id)
        draft = await store.draft_vehicle(connection, cpf, settings.mobility_prefix, *ids)
        # Look up the idempotency key only after the draft: if the draft counts a vehicle that another call has just
        # added, that call's response is now visible.
        if repeatable is not None and (earlier := await repeatable.find(connection)) is not None:
            return earlier
        most = settings.mobility_max_vehicles
        if most and draft.owned >= most:
            raise Conflict(f"Cada pessoa pode ter até {most} veículos.", code="vehicle-limit")
        resolved = _resolve_model(form, draft.chosen)
        vehicle = _to_vehicle(cpf, draft, resolved)
        owner = people.parse_contact(cpf, draft.owner)
        response = msgspec.json.encode(_build_detail(call, vehicle, owner, cpf))
        shared = draft.chosen.share(resolved.brand_id, resolved.model_id)
        kept = repeatable and repeatable.keep(response)
        insert = partial(store.insert_vehicle, connection, vehicle, shared, most=most, trail=trail, kept=kept)
        is_inserted = await write_with_files(connection, cpf, vehicle.id, resolved, insert)
        return response if is_inserted else None

    return await write_optimistically(call.platform.database, attempt)


async def read_vehicle(call: Call, cpf: Cpf, vehicle_id: str) -> VehicleDetail:
    """Return a vehicle that the person owns or drives.

    Raises the same NotFound for an unknown vehicle, a deleted vehicle, and a vehicle that the person neither owns nor
    drives.
    """
    async with call.platform.database.transaction() as connection:
        vehicle, owner = await _find_visible(connection, vehicle_id, cpf)
        await people.record_trail(connection, call, "read", cpf, [vehicle.owner_cpf], FIELDS)
        return _build_detail(call, vehicle, owner, cpf)


async def change_vehicle(call: Call, cpf: Cpf, vehicle_id: str, change: VehicleUpdate) -> VehicleDetail:
    """Change one of the person's own vehicles and return it.

    Raises Invalid for an invalid form, and PreconditionFailed if `If-Match` does not match. Raises DriverRefused if the
    person only drives the vehicle, and NotFound if they neither own nor drive it.
    """
    trail = people.encode_trail(call, "update", cpf, [], FIELDS)

    async def attempt(connection: Connection) -> VehicleDetail | None:
        vehicle, owner = await _find_visible(connection, vehicle_id, cpf)
        _require_current(call, vehicle, owner, cpf)
        changed = forms.normalize_form(forms.merge_form(vehicle.form, change), call.platform.settings.mobility_hosts)
        chosen = await catalogue.read_chosen(connection, changed.brand_id, changed.model_id)
        form = _resolve_model(changed, chosen)
        shared = chosen.share(form.brand_id, form.model_id)
        update = partial(store.update_vehicle, connection, vehicle, form, shared, trail)
        moment = await write_with_files(connection, cpf, vehicle.id, form, update, former=vehicle.form)
        if moment is None:
            return None
        brand, model = chosen.names(form.brand_id, form.model_id)
        vehicle = replace(vehicle, form=form, brand_name=brand, model_name=model, updated_at=moment)
        return _build_detail(call, vehicle, owner, cpf)

    async with people.recording_refusals(call):
        return await write_optimistically(call.platform.database, attempt)


async def remove_vehicle(call: Call, cpf: Cpf, vehicle_id: str) -> None:
    """Remove a vehicle and revoke its open links. Removing it again changes nothing.

    Raises DriverRefused if the person only drives the vehicle, and NotFound if they neither own nor drive it. Raises
    PreconditionFailed if `If-Match` does not match.
    """

    async def attempt(connection: Connection) -> bool | None:
        found = await store.read_removable_vehicle(connection, vehicle_id, cpf)
        if found is None:
            if await store.is_deleted_vehicle(connection, vehicle_id, cpf):
                return True
            raise _unknown()
        _require_current(call, found.vehicle, found.owner, cpf)
        trail = people.encode_trail(call, "delete", cpf, found.links.values(), FIELDS)
        return await store.delete_vehicle(connection, found.vehicle, sorted(found.links), trail) or None

    async with people.recording_refusals(call):
        await write_optimistically(call.platform.database, attempt)


async def _find_visible(connection: Connection, vehicle_id: str, viewer: Cpf) -> VisibleVehicle:
    """Return a live vehicle that the viewer owns or drives, with its owner's contact data.

    Raises NotFound if there is no such vehicle.
    """
    found = await store.read_visible_vehicle(connection, vehicle_id, viewer)
    if found is None:
        raise _unknown()
    return found


def _unknown() -> NotFound:
    return NotFound("Não há veículo com este id.", code="vehicle-unknown")


def _require_current(call: Call, vehicle: Vehicle, owner: Contact, viewer: Cpf) -> None:
    """Raise DriverRefused unless the viewer owns the vehicle, and PreconditionFailed if `If-Match` does not match."""
    people.require_owner(vehicle.owner_cpf, viewer)
    if call.if_match is not None:
        require_match(call.if_match, Ready.of(_build_detail(call, vehicle, owner, viewer)).etag)


async def list_owned_vehicles(connection: Connection, owner: Cpf) -> list[VehicleDetail]:
    """Return a person's vehicles for their data export, including deleted vehicles that are not yet erased."""
    contact = (await people.fetch_contacts(connection, [owner]))[owner]
    return [
        views.to_detail(vehicle, owner, contact) for vehicle in await store.select_owned_vehicles(connection, owner)
    ]


def _build_detail(call: Call, vehicle: Vehicle, owner: Contact, viewer: Cpf) -> VehicleDetail:
    if people.hides_phones(call):
        owner = Contact(owner.name, owner.email, None)
    return views.to_detail(vehicle, viewer, owner)


def _to_vehicle(owner: Cpf, draft: store.Draft, form: VehicleCreate) -> Vehicle:
    brand_name, model_name = draft.chosen.names(form.brand_id, form.model_id)
    return Vehicle(
        id=new_id(),
        owner_cpf=owner,
        registration_number=draft.registration_number,
        form=form,
        brand_name=brand_name,
        model_name=model_name,
        conductor_id=None,
        created_at=draft.moment,
        updated_at=draft.moment,
        deleted_at=None,
    )


def _resolve_model(form: VehicleCreate, chosen: Chosen) -> VehicleCreate:
    """Return the form with the brand, model and type that its flow stores."""
    choice = Choice(form.brand_id, form.brand_other, form.model_id, form.model_other, form.vehicle_type)
    resolved = resolve_choice(choice, chosen.brand, chosen.model)
    return msgspec.structs.replace(
        form,
        brand_id=resolved.brand_id,
        brand_other=resolved.brand_other,
        model_id=resolved.model_id,
        model_other=resolved.model_other,
        vehicle_type=resolved.vehicle_type,
    )
