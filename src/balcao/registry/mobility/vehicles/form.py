"""Check the form of a vehicle, and merge a change into it. No SQL or HTTP here."""

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import UNSET

from balcao.core.errors import Invalid
from balcao.core.values.text import clean_optional, clean_text
from balcao.registry.mobility.catalogue.colours import COLOURS
from balcao.registry.mobility.catalogue.service import parse_type
from balcao.registry.mobility.vehicles.photos import parse_url
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleUpdate

LONGEST_FILE_NAME = 255
LONGEST_OTHER = 50
LONGEST_ID = 300
NO_INVOICE = dict.fromkeys(("invoice_photo_url", "invoice_photo_file_name", "invoice_photo_file_size"))
_PHOTOS = ("serial_number_photo", "vehicle_photo", "invoice_photo")


def normalize_form(form: VehicleCreate, hosts: Collection[str]) -> VehicleCreate:
    """Return the form with trimmed strings, and None for empty optional strings.

    Raises Invalid, with the name of the first wrong member, if a member is not valid.
    """
    if not form.self_declaration:
        raise Invalid("O campo `self_declaration` deve ser verdadeiro.", code="self_declaration-false")
    if form.color not in COLOURS:
        raise Invalid(f"O campo `color` deve ser uma de: {', '.join(COLOURS)}.", code="color-unknown")
    return msgspec.structs.replace(
        form,
        display_name=clean_text("display_name", form.display_name, longest=50),
        serial_number=clean_text("serial_number", form.serial_number, shortest=4, longest=40),
        brand_id=clean_optional("brand_id", form.brand_id, longest=LONGEST_ID),
        brand_other=clean_optional("brand_other", form.brand_other, longest=LONGEST_OTHER),
        model_id=clean_optional("model_id", form.model_id, longest=LONGEST_ID),
        model_other=clean_optional("model_other", form.model_other, longest=LONGEST_OTHER),
        vehicle_type=parse_type(form.vehicle_type) if form.vehicle_type is not None else None,
        **_photo_members("serial_number_photo", form, hosts),
        **_photo_members("vehicle_photo", form, hosts),
        **(_photo_members("invoice_photo", form, hosts) if form.has_invoice else NO_INVOICE),
    )


def merge_form(present: VehicleCreate, change: VehicleUpdate) -> VehicleCreate:
    """Return the form after the change, before it is checked.

    A new photo URL clears the name and size of the old file.
    """
    given: dict[str, Any] = {
        name: value for name in change.__struct_fields__ if (value := getattr(change, name)) is not UNSET
    }
    for photo in _PHOTOS:
        url = f"{photo}_url"
        if given.get(url, getattr(present, url)) != getattr(present, url):
            given = {f"{photo}_file_name": None, f"{photo}_file_size": None} | given
    return msgspec.structs.replace(present, **given)


def _photo_members(photo: str, form: VehicleCreate, hosts: Collection[str]) -> dict[str, Any]:
    """Return a photo's three members. An empty name and a size of 0 become None."""
    url = getattr(form, f"{photo}_url")
    if url is None:
        raise Invalid(f"O campo `{photo}_url` é obrigatório com `has_invoice` verdadeiro.", code=f"{photo}_url-missing")
    name = f"{photo}_file_name"
    return {
        f"{photo}_url": parse_url(f"{photo}_url", url, hosts),
        name: clean_optional(name, getattr(form, name), longest=LONGEST_FILE_NAME),
        f"{photo}_file_size": getattr(form, f"{photo}_file_size") or None,
    }
