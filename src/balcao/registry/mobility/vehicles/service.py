"""Registering vehicles and looking at them; staff act in the place of the path's person."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

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
from balcao.registry.mobility.invitations import service as invitations
from balcao.registry.mobility.people import Contact, DriverRefused
from balcao.registry.mobility.vehicles import form as forms
from balcao.registry.mobility.vehicles import store, views
from balcao.registry.mobility.vehicles.flows import Choice, settle
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleDetail, Vehicles, VehicleUpdate
from balcao.registry.mobility.vehicles.store import Vehicle

FIELDS = ["vehicle"]


async def list_vehicles(call: Call, cpf: Cpf, page: Page) -> Vehicles:
    """Own ones and those driven, newest first."""
    async with call.reading(cpf, FIELDS) as connection:
        found, total = await store.page_of(connection, cpf, page)
    return Vehicles([views.item(vehicle, cpf) for vehicle in found], page.of(total))


async def register(call: Call, cpf: Cpf, body: VehicleCreate) -> bytes:
    """The new vehicle as JSON. Raises Invalid, and Conflict beyond the limit."""
    form = forms.checked(body, _hosts(call))
    async with call.platform.database.transaction() as connection:

        async def make() -> VehicleDetail:
            await _require_below_limit(connection, call, cpf)
            settled = await _settled(connection, form)
            id_ = await store.insert(connection, cpf, call.platform.settings.mobility_prefix, settled)
            await people.record(connection, call, "create", cpf, [], FIELDS)
            return await _detail(connection, call, await seen(connection, id_, cpf), cpf)

        return await run_once(connection, call, cpf, [cpf.digits, body], make)


async def read_vehicle(call: Call, cpf: Cpf, vehicle_id: str) -> VehicleDetail:
    """Raises NotFound alike for an unknown, a deleted and a stranger's one."""
    async with call.platform.database.transaction() as connection:
        vehicle = await seen(connection, vehicle_id, cpf)
        await people.record(connection, call, "read", cpf, [vehicle.owner_cpf], FIELDS)
        return await _detail(connection, call, vehicle, cpf)


async def change_vehicle(call: Call, cpf: Cpf, vehicle_id: str, change: VehicleUpdate) -> VehicleDetail:
    """Raises Invalid, DriverRefused, NotFound, PreconditionFailed."""
    async with tracing_refusals(call), call.platform.database.transaction() as connection:
        vehicle = await owned(connection, vehicle_id, cpf)
        await _require_unchanged(connection, call, vehicle, cpf)
        form = await _settled(connection, forms.checked(forms.merged(vehicle.form, change), _hosts(call)))
        await store.update(connection, vehicle_id, form)
        await people.record(connection, call, "update", cpf, [], FIELDS)
        return await _detail(connection, call, await seen(connection, vehicle_id, cpf), cpf)


async def remove_vehicle(call: Call, cpf: Cpf, vehicle_id: str) -> None:
    """Revokes every link; repeating does nothing. Raises DriverRefused, NotFound, PreconditionFailed."""
    async with tracing_refusals(call), call.platform.database.transaction() as connection:
        await store.lock(connection, vehicle_id)
        if await store.was_owned(connection, vehicle_id, cpf):
            return
        vehicle = await owned(connection, vehicle_id, cpf)
        await _require_unchanged(connection, call, vehicle, cpf)
        await store.delete(connection, vehicle_id)
        drivers = await invitations.revoke_all(connection, vehicle_id)
        await people.record(connection, call, "delete", cpf, drivers, FIELDS)


async def seen(connection: Connection, vehicle_id: str, viewer: Cpf) -> Vehicle:
    """A live vehicle that the viewer owns or drives. Raises NotFound."""
    vehicle = await store.read(connection, vehicle_id, viewer)
    if vehicle is None:
        raise NotFound("Não há veículo com este id.", code="vehicle-unknown")
    return vehicle


async def owned(connection: Connection, vehicle_id: str, viewer: Cpf) -> Vehicle:
    """As `seen`, for its owner alone, and locked. Raises NotFound, DriverRefused."""
    await store.lock(connection, vehicle_id)
    vehicle = await seen(connection, vehicle_id, viewer)
    require_owner(vehicle, viewer)
    return vehicle


def require_owner(vehicle: Vehicle, viewer: Cpf) -> None:
    """Raises DriverRefused."""
    if vehicle.owner_cpf != viewer:
        raise DriverRefused(vehicle.owner_cpf)


@asynccontextmanager
async def tracing_refusals(call: Call) -> AsyncIterator[None]:
    """Around a transaction: what a driver was refused is kept after its end."""
    try:
        yield
    except DriverRefused as refused:
        await people.record_refusal(call, refused)
        raise


async def lives(connection: Connection, vehicle_id: str) -> bool:
    """Return whether there is such a vehicle that is not deleted."""
    return await store.lives(connection, vehicle_id)


async def owned_by(connection: Connection, owner: Cpf) -> list[VehicleDetail]:
    """For the person's export: deleted ones too."""
    contact = (await people.contacts(connection, [owner]))[owner]
    return [views.detail(vehicle, owner, contact) for vehicle in await store.owned(connection, owner)]


async def _detail(connection: Connection, call: Call, vehicle: Vehicle, viewer: Cpf) -> VehicleDetail:
    contact = (await people.contacts(connection, [vehicle.owner_cpf]))[vehicle.owner_cpf]
    if people.hides_phones(call):
        contact = Contact(contact.name, contact.email, None)
    return views.detail(vehicle, viewer, contact)


async def _require_unchanged(connection: Connection, call: Call, vehicle: Vehicle, viewer: Cpf) -> None:
    if call.if_match is not None:
        require_match(call.if_match, Ready.of(await _detail(connection, call, vehicle, viewer)).etag)


async def _require_below_limit(connection: Connection, call: Call, owner: Cpf) -> None:
    most, held = call.platform.settings.mobility_max_vehicles, await store.lock_and_count(connection, owner)
    if most and held >= most:
        raise Conflict(f"Cada pessoa pode ter até {most} veículos.", code="vehicle-limit")


async def _settled(connection: Connection, form: VehicleCreate) -> VehicleCreate:
    """The form with what its flow keeps of brand, model and type."""
    brand, model = await catalogue.chosen(connection, form.brand_id, form.model_id)
    choice = Choice(form.brand_id, form.brand_other, form.model_id, form.model_other, form.vehicle_type)
    settled = settle(choice, brand, model)
    return msgspec.structs.replace(
        form,
        brand_id=settled.brand_id,
        brand_other=settled.brand_other,
        model_id=settled.model_id,
        model_other=settled.model_other,
        vehicle_type=settled.vehicle_type,
    )


def _hosts(call: Call) -> Collection[str]:
    return call.platform.settings.mobility_hosts
