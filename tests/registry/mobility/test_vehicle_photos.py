"""A vehicle's photos may be files of the vehicle's owner (rules: registry 3.6, 4.18)."""

from typing import Any
from uuid import UUID

import pytest

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Database
from balcao.registry.mobility.vehicles import files
from tests.registry.mobility.garage import CITIZEN, PHOTO, UNKNOWN, Garage, form
from tests.support.demo_people import ANA, BRUNO
from tests.support.fixture_types import Sql
from tests.support.issuer import bearer
from tests.support.refusals import refusal
from tests.support.sample_files import document, drawing, photo

NO_ADDRESSES: dict[str, Any] = {"serial_number_photo_url": ..., "vehicle_photo_url": ...}
USES = "SELECT file_id::text AS id FROM registry.file_use WHERE holder_id = $1 ORDER BY id"


@pytest.fixture
def send(garage: Garage) -> Any:
    """Return a function that stores a file of a person, by default a photo, and returns its id."""

    def call(cpf: str = ANA, content: bytes | None = None) -> str:
        headers = bearer(garage.issuer.person(cpf))
        answer = garage.http.post(f"{CITIZEN}/{cpf}/files", content=content or photo(), headers=headers)
        return str(answer.raise_for_status().json()["id"])

    return call


def expiry(garage: Garage, file: str) -> Any:
    return garage.ask(ANA, "GET", f"{CITIZEN}/{ANA}/files/{file}").json()["expires_at"]


@pytest.mark.cases("registry", "Y10")
def test_the_photos_of_a_vehicle_may_be_files(garage: Garage, send: Any, sql: Sql) -> None:
    serial, whole, other = send(), send(), send()
    ids = {"serial_number_photo_file_id": serial, "vehicle_photo_file_id": whole.upper()}
    made = garage.registered(ANA, **NO_ADDRESSES, **ids)
    assert (made["serial_number_photo_url"], made["vehicle_photo_url"]) == (None, None)
    assert (made["serial_number_photo_file_id"], made["vehicle_photo_file_id"]) == (serial, whole)
    assert garage.vehicle(ANA, made["id"]).json() == made
    assert [row["id"] for row in sql(USES, made["id"])] == sorted([serial, whole])
    assert expiry(garage, whole) is None
    assert refusal(garage.ask(ANA, "DELETE", f"{CITIZEN}/{ANA}/files/{whole}")) == (409, "file-in-use")
    changed = garage.vehicle(ANA, made["id"], "PATCH", {"vehicle_photo_file_id": other}).json()
    assert (changed["vehicle_photo_file_id"], changed["serial_number_photo_file_id"]) == (other, serial)
    assert [row["id"] for row in sql(USES, made["id"])] == sorted([serial, other])
    assert expiry(garage, whole) is not None
    addressed = garage.vehicle(ANA, made["id"], "PATCH", {"vehicle_photo_url": PHOTO}).json()
    assert (addressed["vehicle_photo_url"], "vehicle_photo_file_id" in addressed) == (PHOTO, False)
    assert [row["id"] for row in sql(USES, made["id"])] == [serial]
    back = garage.vehicle(ANA, made["id"], "PATCH", {"vehicle_photo_file_id": whole}).json()
    assert (back["vehicle_photo_url"], back["vehicle_photo_file_id"]) == (None, whole)
    (listed,) = [one for one in garage.vehicles(ANA) if one["id"] == made["id"]]
    assert listed["vehicle_photo_file_id"] == whole


@pytest.mark.cases("registry", "Y10")
def test_a_photo_is_an_own_file_or_an_address(garage: Garage, send: Any, sql: Sql) -> None:
    own, foreign = send(), send(BRUNO)
    before = len(garage.vehicles(ANA))
    for id in (foreign, UNKNOWN, "../x", ""):
        body = form(**{"vehicle_photo_url": ..., "vehicle_photo_file_id": id})
        assert refusal(garage.register(ANA, body)) == (400, "file-not-own")
    assert refusal(garage.register(ANA, form(vehicle_photo_file_id=own))) == (400, "photo-twice")
    absent = garage.register(ANA, form(vehicle_photo_url=...))
    assert refusal(absent) == (400, "body-invalid")
    assert "Falta o campo `vehicle_photo_url`." in absent.text
    assert refusal(garage.register(ANA, form(vehicle_photo_url=None)))[0] == 400
    assert len(garage.vehicles(ANA)) == before
    assert expiry(garage, own) is not None
    made = garage.registered(ANA)
    assert "vehicle_photo_file_id" not in made
    stolen = garage.vehicle(ANA, made["id"], "PATCH", {"vehicle_photo_file_id": foreign})
    assert refusal(stolen) == (400, "file-not-own")
    assert garage.vehicle(ANA, made["id"]).json() == made
    assert sql(USES, made["id"]) == []


@pytest.mark.cases("registry", "Y10")
@pytest.mark.parametrize("member", ["serial_number_photo", "vehicle_photo"])
def test_a_document_is_not_a_photo_of_a_vehicle(garage: Garage, send: Any, sql: Sql, member: str) -> None:
    pdf, picture = send(content=document()), send(content=drawing())
    before = len(garage.vehicles(ANA))
    refused = garage.register(ANA, form(**{f"{member}_url": ..., f"{member}_file_id": pdf}))
    assert refusal(refused) == (400, "photo-not-image")
    assert f"`{member}_file_id`" in refused.json()["error"]
    assert len(garage.vehicles(ANA)) == before
    made = garage.registered(ANA, **NO_ADDRESSES, serial_number_photo_file_id=picture, vehicle_photo_file_id=picture)
    change = garage.vehicle(ANA, made["id"], "PATCH", {f"{member}_file_id": pdf})
    assert refusal(change) == (400, "photo-not-image")
    assert garage.vehicle(ANA, made["id"]).json() == made
    assert [row["id"] for row in sql(USES, made["id"])] == [picture]
    assert expiry(garage, pdf) is not None
    foreign = form(**{f"{member}_url": ..., f"{member}_file_id": send(BRUNO, document())})
    assert refusal(garage.register(ANA, foreign)) == (400, "file-not-own")


def test_a_repeated_registration_refers_to_the_files_once(garage: Garage, send: Any, sql: Sql) -> None:
    body = form(**NO_ADDRESSES, serial_number_photo_file_id=(file := send()), vehicle_photo_file_id=file)
    first = garage.register(ANA, body, **{"Idempotency-Key": "vehicle-with-files"}).json()
    assert garage.register(ANA, body, **{"Idempotency-Key": "vehicle-with-files"}).json() == first
    assert [row["holder_id"] for row in sql("SELECT holder_id FROM registry.file_use WHERE file_id = $1", file)] == [
        UUID(first["id"])
    ]


@pytest.mark.cases("registry", "Y10")
async def test_files_of_an_erased_vehicle_expire(garage: Garage, send: Any, platform: Platform) -> None:
    file = send()
    made = garage.registered(ANA, **NO_ADDRESSES, serial_number_photo_file_id=file, vehicle_photo_file_id=file)
    assert garage.vehicle(ANA, made["id"], "DELETE").status_code == 204
    assert expiry(garage, file) is None  # a deleted vehicle keeps its data, including photos
    owner = Database(platform.owner_url, size=2, role=None)
    await owner.open()
    try:
        async with owner.transaction() as connection:
            await connection.execute(
                "UPDATE registry.vehicle SET deleted_at = now() - interval '3 years' WHERE id = $1", UUID(made["id"])
            )
            assert await files.erase_old_vehicles(connection) >= 1
    finally:
        await owner.close()
    assert expiry(garage, file) is not None
