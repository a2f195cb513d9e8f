"""The API operations on a citizen's light electric vehicles. The types contain only the members that the pages use."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from balcao.core.values.cpf import Cpf
from balcao.web.api import Api, quoted
from balcao.web.envelopes import Page
from balcao.web.person.client import Subject

_CATALOGUE = "/registry/v1/mobilidade"
# An invitation that has not been answered expires after this time (rules: registry 4.8).
_VALID_FOR = timedelta(days=90)


class Vehicle(msgspec.Struct):
    id: str
    display_name: str | None
    registration_number: str
    vehicle_type: str
    color: str
    role: str
    brand_id: str | None = None
    brand_name: str | None = None
    brand_other: str | None = None
    model_id: str | None = None
    model_name: str | None = None
    model_other: str | None = None
    serial_number: str | None = None
    serial_number_photo_url: str | None = None
    serial_number_photo_file_id: str = ""
    vehicle_photo_url: str | None = None
    vehicle_photo_file_id: str = ""
    owner_name: str | None = None
    owner_phone: str | None = None
    conductor_id: str = ""

    @property
    def is_own(self) -> bool:
        """Return whether the citizen owns the vehicle. Otherwise, they may drive it."""
        return self.role == "owner"

    @property
    def title(self) -> str:
        """Return the name that the owner gave the vehicle, or its registration number."""
        return self.display_name or self.registration_number

    @property
    def make(self) -> str:
        """Return the vehicle's brand and model."""
        return " ".join(filter(None, (self.brand_name or self.brand_other, self.model_name or self.model_other)))


class Listed(msgspec.Struct):
    """A brand or model in the city's list. `is_other` marks the entry that means "not in this list"."""

    id: str
    name: str
    is_other: bool


class ListedEntries(msgspec.Struct):
    data: list[Listed]


class Colours(msgspec.Struct):
    data: list[str]


class Conductor(msgspec.Struct):
    id: str
    conductor_cpf: str
    conductor_name: str | None
    notify_email: str | None
    status: str
    email_status: str
    created_at: datetime
    responded_at: datetime | None

    @property
    def title(self) -> str:
        """Return the person's name, or their masked CPF if the name is unknown."""
        return self.conductor_name or f"CPF {self.conductor_cpf}"

    @property
    def is_pending(self) -> bool:
        """Return whether the person has not answered the invitation."""
        return self.status == "pending"

    @property
    def expires_at(self) -> datetime:
        """Return when the invitation expires if the person does not answer it."""
        return self.created_at + _VALID_FOR


class Conductors(msgspec.Struct):
    data: list[Conductor]


class InvitedVehicle(msgspec.Struct):
    display_name: str | None
    color: str
    vehicle_type: str
    brand_label: str | None
    model_label: str | None


class Invitation(msgspec.Struct):
    id: str
    owner_name: str | None
    created_at: datetime
    vehicle: InvitedVehicle

    @property
    def expires_at(self) -> datetime:
        """Return when the invitation expires if the citizen does not answer it."""
        return self.created_at + _VALID_FOR


class Invitations(msgspec.Struct):
    data: list[Invitation]


async def list_vehicles(subject: Subject) -> Page[Vehicle]:
    return await subject.get("/vehicles", Page[Vehicle], {"per_page": 100})


async def read_vehicle(subject: Subject, id_: str) -> Vehicle:
    return await subject.get(f"/vehicles/{quoted(id_)}", Vehicle)


async def register_vehicle(subject: Subject, body: Mapping[str, Any], key: str) -> Vehicle:
    """Register a vehicle, at most once for each `key`."""
    return await subject.send("POST", "/vehicles", Vehicle, body, key=key)


async def change_vehicle(subject: Subject, id_: str, change: Mapping[str, Any]) -> None:
    """Change these members of a vehicle."""
    await subject.send("PATCH", f"/vehicles/{quoted(id_)}", type(None), change)


async def delete_vehicle(subject: Subject, id_: str) -> None:
    await subject.send("DELETE", f"/vehicles/{quoted(id_)}", type(None), None)


async def list_brands(api: Api) -> Sequence[Listed]:
    return [one for one in (await api.get(f"{_CATALOGUE}/vehicle-brands", ListedEntries)).data if not one.is_other]


async def list_models(api: Api, brand_id: str) -> Sequence[Listed]:
    found = await api.get(f"{_CATALOGUE}/vehicle-models", ListedEntries, {"brand_id": brand_id})
    return [one for one in found.data if not one.is_other]


async def list_colours(api: Api) -> Sequence[str]:
    return (await api.get(f"{_CATALOGUE}/vehicle-colors", Colours)).data


async def list_conductors(subject: Subject, id_: str) -> Sequence[Conductor]:
    return (await subject.get(f"/vehicles/{quoted(id_)}/conductors", Conductors)).data


async def invite_conductor(subject: Subject, id_: str, cpf: Cpf, email: str, name: str, key: str) -> Conductor:
    body = {"cpf": cpf.digits, "email": email, "name": name or None}
    return await subject.send("POST", f"/vehicles/{quoted(id_)}/conductors", Conductor, body, key=key)


async def remove_conductor(subject: Subject, id_: str, conductor_id: str) -> None:
    await subject.send("DELETE", f"/vehicles/{quoted(id_)}/conductors/{quoted(conductor_id)}", type(None), None)


async def list_invitations(subject: Subject) -> Sequence[Invitation]:
    return (await subject.get("/vehicle-invitations", Invitations)).data


async def answer_invitation(subject: Subject, conductor_id: str, *, accepted: bool) -> None:
    body = {"status": "accepted" if accepted else "rejected"}
    await subject.send("PATCH", f"/vehicle-invitations/{quoted(conductor_id)}", type(None), body)
