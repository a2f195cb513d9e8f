"""Build the responses that show a vehicle to its owner or a driver."""

from msgspec import UNSET

from balcao.core.values.cpf import Cpf
from balcao.registry.mobility.catalogue.schemas import VehicleType
from balcao.registry.mobility.people import Contact, format_cpf
from balcao.registry.mobility.vehicles.schemas import VehicleDetail, VehicleItem, VehicleRole
from balcao.registry.mobility.vehicles.store import Vehicle


def to_item(vehicle: Vehicle, viewer: Cpf) -> VehicleItem:
    """Return the vehicle as an item in the viewer's list."""
    form = vehicle.form
    return VehicleItem(
        id=vehicle.id,
        display_name=form.display_name,
        registration_number=vehicle.registration_number,
        brand_id=form.brand_id,
        brand_other=form.brand_other,
        brand_name=vehicle.brand_name,
        model_id=form.model_id,
        model_other=form.model_other,
        model_name=vehicle.model_name,
        vehicle_type=VehicleType(form.vehicle_type or ""),
        color=form.color,
        vehicle_photo_url=form.vehicle_photo_url or None,
        vehicle_photo_file_id=form.vehicle_photo_file_id or UNSET,
        role=VehicleRole.OWNER if vehicle.owner_cpf == viewer else VehicleRole.CONDUCTOR,
        conductor_id=vehicle.conductor_id or UNSET,
    )


def to_detail(vehicle: Vehicle, viewer: Cpf, owner: Contact) -> VehicleDetail:
    """Return the full vehicle as `viewer` sees it. `owner` is the owner's contact data."""
    form, short = vehicle.form, to_item(vehicle, viewer)
    return VehicleDetail(
        **{name: getattr(short, name) for name in short.__struct_fields__},
        owner_cpf=format_cpf(vehicle.owner_cpf, viewer),
        owner_name=owner.name,
        owner_phone=owner.phone,
        owner_email=owner.email,
        serial_number=form.serial_number,
        serial_number_photo_url=form.serial_number_photo_url or None,
        serial_number_photo_file_id=form.serial_number_photo_file_id or UNSET,
        serial_number_photo_file_name=form.serial_number_photo_file_name,
        serial_number_photo_file_size=form.serial_number_photo_file_size,
        vehicle_photo_file_name=form.vehicle_photo_file_name,
        vehicle_photo_file_size=form.vehicle_photo_file_size,
        has_invoice=form.has_invoice,
        invoice_photo_url=form.invoice_photo_url,
        invoice_photo_file_name=form.invoice_photo_file_name,
        invoice_photo_file_size=form.invoice_photo_file_size,
        self_declaration=form.self_declaration,
        created_at=vehicle.created_at,
        updated_at=vehicle.updated_at,
        deleted_at=vehicle.deleted_at or UNSET,
    )
