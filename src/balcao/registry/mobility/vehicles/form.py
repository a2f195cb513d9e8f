"""Validate the form of a vehicle, and merge a change into it."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET

from balcao.core.errors import Invalid
from balcao.core.values.ids import is_uuid
from balcao.core.values.text import clean_optional, clean_text
from balcao.registry.mobility.catalogue.colours import COLOURS
from balcao.registry.mobility.catalogue.service import parse_type
from balcao.registry.mobility.vehicles.photos import parse_url
from balcao.registry.mobility.vehicles.schemas import VehicleCreate, VehicleUpdate
from balcao.registry.person.files import service as files

LONGEST_FILE_NAME = 255
LONGEST_OTHER = 50
LONGEST_ID = 300
NO_INVOICE = dict.fromkeys(("invoice_photo_url", "invoice_photo_file_name", "invoice_photo_file_size"))
_PHOTOS = ("serial_number_photo", "vehicle_photo", "invoice_photo")
# The photos that may be uploaded files instead of addresses.
FILED = ("serial_number_photo", "vehicle_photo")


def normalize_form(form: VehicleCreate, hosts: Collection[str]) -> VehicleCreate:
    """Return the form with trimmed strings, and None for empty optional strings.

    Raises Invalid, with the name of the first wrong member, if a member is not valid.
    """
    for photo in FILED:
        _require_photo(photo, form)
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
    """Merge the change into the form, without validating the result.

    A new photo URL or file replaces the old photo, and clears the name and size of the old file.
    """
    given: dict[str, Any] = {
        name: value for name in change.__struct_fields__ if (value := getattr(change, name)) is not UNSET
    }
    for photo in FILED:
        for new, old in ((f"{photo}_file_id", f"{photo}_url"), (f"{photo}_url", f"{photo}_file_id")):
            if new in given and old not in given:
                given[old] = None
    for photo in _PHOTOS:
        if any(given.get(name, getattr(present, name)) != getattr(present, name) for name in _list_places(photo)):
            given = {f"{photo}_file_name": None, f"{photo}_file_size": None} | given
    return msgspec.structs.replace(present, **given)


def list_files(form: VehicleCreate) -> dict[str, UUID]:
    """Return the ids of the files used as photos, by the member that contains each id. The form must be normalised."""
    names = [f"{photo}_file_id" for photo in FILED]
    return {name: UUID(id) for name in names if not _is_absent(id := getattr(form, name))}


def _is_absent(value: object) -> bool:
    """Return whether the member is absent: omitted from a request, or None in a stored vehicle."""
    return value is UNSET or value is None


def _list_places(photo: str) -> list[str]:
    """Return the names of the members that contain a photo's address and file."""
    return [f"{photo}_url", f"{photo}_file_id"] if photo in FILED else [f"{photo}_url"]


def _require_photo(photo: str, form: VehicleCreate) -> None:
    """Raise Invalid unless the photo has either an address or a file with a well-formed id."""
    url, file = getattr(form, f"{photo}_url"), getattr(form, f"{photo}_file_id")
    if _is_absent(file):
        if _is_absent(url):
            raise Invalid(f"Falta o campo `{photo}_url`.", code="body-invalid")
    elif not _is_absent(url):
        raise Invalid(f"Envie `{photo}_url` ou `{photo}_file_id`, não os dois.", code="photo-twice")
    elif not is_uuid(file):
        raise files.not_own(f"{photo}_file_id")


def _photo_members(photo: str, form: VehicleCreate, hosts: Collection[str]) -> dict[str, Any]:
    """Return a photo's members, with None for an empty name and for a size of 0."""
    url = getattr(form, f"{photo}_url")
    if photo in FILED and not _is_absent(file := getattr(form, f"{photo}_file_id")):
        return {f"{photo}_url": None, f"{photo}_file_id": str(UUID(file)), **_file_members(photo, form)}
    if url is None:
        raise Invalid(f"O campo `{photo}_url` é obrigatório com `has_invoice` verdadeiro.", code=f"{photo}_url-missing")
    no_file = {f"{photo}_file_id": None} if photo in FILED else {}
    return {f"{photo}_url": parse_url(f"{photo}_url", url, hosts), **no_file, **_file_members(photo, form)}


def _file_members(photo: str, form: VehicleCreate) -> dict[str, Any]:
    name = f"{photo}_file_name"
    return {
        name: clean_optional(name, getattr(form, name), longest=LONGEST_FILE_NAME),
        f"{photo}_file_size": getattr(form, f"{photo}_file_size") or None,
    }
