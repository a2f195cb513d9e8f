"""The vehicles of a citizen: register, read, change and remove; staff act in the place of the path's person."""

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, NotFound
from balcao.core.http.idempotency import run_once
from balcao.core.http.paging import Page
from balcao.core.http.responses import Ready, require_match
from balcao.core.values.cpf import Cpf
from balcao.registry.mobility import people
from balcao.registry.mobility.catalogue import service as catalogue
from balcao.registry.mobility.drivers import service as drivers
from balcao.registry.mobility.people import Contact
from balcao.registry.mobility.vehicles import form as forms
from balcao.registry.mobility.vehicles import store, views
from balcao.registry.mobility.vehicles.flows import Choice, resolve
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleDetail, Vehicles, VehicleUpdate
from balcao.registry.mobility.vehicles.store import Vehicle

FIELDS = ["vehicle"]


async def list_vehicles(call: Call, cpf: Cpf, page: Page) -> Vehicles:
    """Return a page of the person's own vehicles and those that they drive, the newest first."""
    async with call.reading(cpf, FIELDS) as connection:
        found, total = await store.fetch_visible_page(connection, cpf, page)
    return Vehicles([views.to_item(vehicle, cpf) for vehicle in found], page.of(total))


async def register(call: Call, cpf: Cpf, body: VehicleCreate) -> bytes:
    """Register a vehicle; return it as JSON. Raises Invalid, and Conflict beyond the limit."""
    form = forms.normalize(body, call.platform.settings.mobility_hosts)
    async with call.platform.database.transaction() as connection:

        async def make() -> VehicleDetail:
            await _require_below_limit(connection, call, cpf)
            resolved = await _resolve_model(connection, form)
            id_ = await store.insert(connection, cpf, call.platform.settings.mobility_prefix, resolved)
            await people.record(connection, call, "create", cpf, [], FIELDS)
            return await _build_detail(connection, call, await find_visible(connection, id_, cpf), cpf)

        return await run_once(connection, call, cpf, [cpf.digits, body], make)


async def read_vehicle(call: Call, cpf: Cpf, vehicle_id: str) -> VehicleDetail:
    """Return a vehicle that the person owns or drives.

    Raises NotFound alike for an unknown, a deleted and a stranger's one.
    """
    async with call.platform.database.transaction() as connection:
        vehicle = await find_visible(connection, vehicle_id, cpf)
        await people.record(connection, call, "read", cpf, [vehicle.owner_cpf], FIELDS)
        return await _build_detail(connection, call, vehicle, cpf)


async def change_vehicle(call: Call, cpf: Cpf, vehicle_id: str, change: VehicleUpdate) -> VehicleDetail:
    """Change a vehicle of the person's own; return it after that.

    Raises Invalid, DriverRefused, NotFound, PreconditionFailed.
    """
    async with people.recording_refusals(call), call.platform.database.transaction() as connection:
        vehicle = await lock_owned(connection, vehicle_id, cpf)
        await _require_unchanged(connection, call, vehicle, cpf)
        changed = forms.normalize(forms.merge(vehicle.form, change), call.platform.settings.mobility_hosts)
        form = await _resolve_model(connection, changed)
        await store.update(connection, vehicle_id, form)
        await people.record(connection, call, "update", cpf, [], FIELDS)
        return await _build_detail(connection, call, await find_visible(connection, vehicle_id, cpf), cpf)


async def remove_vehicle(call: Call, cpf: Cpf, vehicle_id: str) -> None:
    """Remove a vehicle and revoke its links; a repetition does nothing.

    Raises DriverRefused, NotFound, PreconditionFailed.
    """
    async with people.recording_refusals(call), call.platform.database.transaction() as connection:
        await store.lock(connection, vehicle_id)
        if await store.is_deleted_of(connection, vehicle_id, cpf):
            return
        vehicle = await lock_owned(connection, vehicle_id, cpf)
        await _require_unchanged(connection, call, vehicle, cpf)
        await store.delete(connection, vehicle_id)
        revoked = await drivers.revoke_all(connection, vehicle_id)
        await people.record(connection, call, "delete", cpf, revoked, FIELDS)


async def find_visible(connection: Connection, vehicle_id: str, viewer: Cpf) -> Vehicle:
    """Return a live vehicle that the viewer owns or drives. Raises NotFound."""
    vehicle = await store.read(connection, vehicle_id, viewer)
    if vehicle is None:
        raise NotFound("Não há veículo com este id.", code="vehicle-unknown")
    return vehicle


async def lock_owned(connection: Connection, vehicle_id: str, viewer: Cpf) -> Vehicle:
    """Return a live vehicle, locked, to its owner. Raises NotFound, and DriverRefused to its driver."""
    await store.lock(connection, vehicle_id)
    vehicle = await find_visible(connection, vehicle_id, viewer)
    people.require_owner(vehicle.owner_cpf, viewer)
    return vehicle


async def list_owned(connection: Connection, owner: Cpf) -> list[VehicleDetail]:
    """Return a person's vehicles for their export: deleted ones too, as long as they are not erased."""
    contact = (await people.fetch_contacts(connection, [owner]))[owner]
    return [views.to_detail(vehicle, owner, contact) for vehicle in await store.list_owned(connection, owner)]


async def _build_detail(connection: Connection, call: Call, vehicle: Vehicle, viewer: Cpf) -> VehicleDetail:
    contact = (await people.fetch_contacts(connection, [vehicle.owner_cpf]))[vehicle.owner_cpf]
    if people.hides_phones(call):
        contact = Contact(contact.name, contact.email, None)
    return views.to_detail(vehicle, viewer, contact)


async def _require_unchanged(connection: Connection, call: Call, vehicle: Vehicle, viewer: Cpf) -> None:
    if call.if_match is not None:
        require_match(call.if_match, Ready.of(await _build_detail(connection, call, vehicle, viewer)).etag)


async def _require_below_limit(connection: Connection, call: Call, owner: Cpf) -> None:
    most, present = call.platform.settings.mobility_max_vehicles, await store.lock_and_count(connection, owner)
    if most and present >= most:
        raise Conflict(f"Cada pessoa pode ter até {most} veículos.", code="vehicle-limit")


async def _resolve_model(connection: Connection, form: VehicleCreate) -> VehicleCreate:
    """Return the form with the brand, model and type that its flow comes to."""
    brand, model = await catalogue.lock_choice(connection, form.brand_id, form.model_id)
    choice = Choice(form.brand_id, form.brand_other, form.model_id, form.model_other, form.vehicle_type)
    resolved = resolve(choice, brand, model)
    return msgspec.structs.replace(
        form,
        brand_id=resolved.brand_id,
        brand_other=resolved.brand_other,
        model_id=resolved.model_id,
        model_other=resolved.model_other,
        vehicle_type=resolved.vehicle_type,
    )
