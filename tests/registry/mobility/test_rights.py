"""The retention, personal rights and demo data of vehicles (rules: registry 4.8, 4.9, 5, 7)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import msgspec
import pytest

from balcao import app
from balcao.core.audit.personal_data import DeclaredPersonalData
from balcao.core.context.platform import assemble
from balcao.core.values.cpf import Cpf
from balcao.registry import SERVICE, mobility
from balcao.registry.mobility.drivers import service as drivers
from balcao.registry.mobility.drivers import store as links
from balcao.registry.mobility.vehicles.files import erase_old_vehicles
from balcao.settings import Settings
from balcao_sandbox.demo.registry import vehicles as demo
from balcao_sandbox.passing_time.service import pass_time
from tests.registry.mobility.garage import FABIO, PHOTO, Garage
from tests.support.demo_people import ANA, BRUNO, CARLA, DAVI, GABRIELA
from tests.support.proof_sizes import size
from tests.support.refusals import refusal

AT = datetime(2027, 1, 1, tzinfo=UTC)
DECLARED = DeclaredPersonalData(one.personal_data for one in mobility.FEATURES if one.personal_data is not None)


@pytest.fixture
def owner(database_url: str) -> Callable[..., Any]:
    """Return a function that runs a coroutine function in a transaction, as the owner of the tables."""

    def run(what: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        async def once() -> Any:
            connection = await asyncpg.connect(database_url)
            try:
                async with connection.transaction():
                    return await what(connection, *args)
            finally:
                await connection.close()

        return asyncio.run(once())

    return run


def test_an_invitation_ends_after_ninety_days(garage: Garage, owner: Any, sql: Any) -> None:
    held = garage.registered(ANA)["id"]
    old, young, accepted = (
        garage.invited(ANA, held, BRUNO),
        garage.invited(ANA, held, CARLA),
        garage.driving(ANA, held, DAVI),
    )
    age = "UPDATE registry.vehicle_conductor SET created_at = now() - $2::text::interval WHERE id = $1"
    for link, days in ((old, "91 days"), (young, "89 days"), (accepted, "91 days")):
        sql(age, link, days)
    assert [owner(links.expire_invitations), owner(links.expire_invitations)] == [1, 0]
    assert {one["id"] for one in garage.conductors(ANA, held).json()["data"]} == {young, accepted}
    assert refusal(garage.answer(BRUNO, old)) == (400, "not-pending")
    assert garage.invite(ANA, held, BRUNO).status_code == 201


def test_after_two_years_links_go_and_of_a_vehicle_the_number_stays(garage: Garage, owner: Any, sql: Any) -> None:
    made = garage.registered(CARLA, has_invoice=True, invoice_photo_url=PHOTO)
    link = garage.invited(CARLA, made["id"], BRUNO)
    garage.vehicle(CARLA, made["id"], "DELETE")
    assert (owner(links.delete_old_driver_links), owner(erase_old_vehicles)) == (0, 0)
    sql("UPDATE registry.vehicle_conductor SET updated_at = now() - interval '731 days' WHERE id = $1", link)
    sql("UPDATE registry.vehicle SET deleted_at = now() - interval '731 days' WHERE id = $1", made["id"])
    assert (owner(links.delete_old_driver_links), owner(erase_old_vehicles)) == (1, 1)
    assert owner(erase_old_vehicles) == 0
    assert sql("SELECT FROM registry.vehicle_conductor WHERE id = $1", link) == []
    assert _left(sql, made["id"]) == {"registration_number": made["registration_number"], "color": "Azul"}
    assert refusal(garage.vehicle(CARLA, made["id"], "DELETE")) == (404, "vehicle-unknown")


def _left(sql: Any, vehicle_id: str) -> dict[str, Any]:
    """Return the values that remain in an erased vehicle's row, without ids, type, flags and times."""
    (row,) = sql("SELECT * FROM registry.vehicle WHERE id = $1", vehicle_id)
    whose = ("id", "brand_id", "model_id", "vehicle_type", "has_invoice", "self_declaration")
    kept = {name: value for name, value in row.items() if value is not None and not name.endswith("_at")}
    return {name: value for name, value in kept.items() if name not in whose}


def test_the_export_holds_own_vehicles_and_links_as_a_driver(garage: Garage, owner: Any) -> None:
    held = garage.registered(FABIO)["id"]
    garage.vehicle(FABIO, held, "DELETE")
    link = garage.driving(ANA, garage.registered(ANA)["id"], FABIO, name="Fá")
    found = json.loads(msgspec.json.encode(owner(DECLARED.export, Cpf(FABIO))))
    assert [vehicle["id"] for vehicle in found["veiculos"]] == [held]
    assert found["veiculos"][0]["deleted_at"]
    (driven,) = found["condutor_de"]
    assert (driven["id"], driven["conductor_cpf"], driven["invited_by_cpf"]) == (link, FABIO, "***.000.001-**")
    assert (driven["status"], driven["conductor_name"], driven["vehicle"]["brand_label"]) == ("accepted", "Fá", "Brisa")
    assert owner(DECLARED.export, Cpf("90000001147")) == {"veiculos": [], "condutor_de": []}


def test_anonymisation_leaves_a_number_without_a_person_and_nobodys_values(
    garage: Garage, owner: Any, sql: Any
) -> None:
    person = GABRIELA
    secret = {"display_name": "Nome único", "serial_number": "SERIE-UNICA", "vehicle_photo_file_name": "unica.jpg"}
    made = garage.registered(person, **secret)
    garage.driving(person, made["id"], BRUNO, name="Bruno único", email="unico@correio.example", phone="1234")
    other = garage.registered(DAVI)["id"]
    garage.driving(DAVI, other, person, name="Gabi única", email="gabi.unica@correio.example")
    report = {one.kind: one.count for one in owner(DECLARED.erase, Cpf(person), AT)}
    assert report == {"vehicle_links": 2, "vehicles": 1}
    assert {one.kind: one.count for one in owner(DECLARED.erase, Cpf(person), AT)} == {
        "vehicle_links": 0,
        "vehicles": 0,
    }
    assert _left(sql, made["id"]) == {"registration_number": made["registration_number"], "color": "Azul"}
    for table in ("vehicle", "vehicle_conductor"):
        whole = str(sql(f"SELECT t::text FROM registry.{table} AS t")).lower()
        assert "nic" not in whole.replace("bicicleta_eletrica", "")
    assert garage.vehicles(person) == []
    assert refusal(garage.vehicle(BRUNO, made["id"])) == (404, "vehicle-unknown")
    assert garage.conductors(DAVI, other).json() == {"data": []}
    assert garage.register(person).status_code == 201


@pytest.mark.parametrize("_", range(size(3, 50)))
def test_anonymising_against_deleting_and_accepting_ends_with_everybody_served(
    garage: Garage, owner: Any, sql: Any, _: int
) -> None:
    held, other = garage.registered(GABRIELA)["id"], garage.registered(DAVI)["id"]
    link, own = garage.invited(GABRIELA, held, BRUNO), garage.invited(DAVI, other, GABRIELA)
    with ThreadPoolExecutor(4) as pool:
        clearing = pool.submit(owner, DECLARED.erase, Cpf(GABRIELA), AT)
        deleting = [pool.submit(garage.vehicle, *args, "DELETE") for args in ((GABRIELA, held), (DAVI, other))]
        accepting = pool.submit(garage.answer, BRUNO, link)
    assert clearing.result()
    assert deleting[0].result().status_code in {204, 404}
    assert deleting[1].result().status_code == 204
    assert accepting.result().status_code in {200, 404}
    rows = sql("SELECT status, notify_email FROM registry.vehicle_conductor WHERE id IN ($1, $2)", link, own)
    assert [tuple(row) for row in rows] == [("revoked", None)] * 2


def test_the_demo_is_loaded_once(garage: Garage, settings: Settings, database_url: str, sql: Any) -> None:
    for one in garage.vehicles(ANA):
        garage.vehicle(ANA, one["id"], "DELETE")

    async def load() -> None:
        platform = assemble(settings, database_url)
        async with app.open_services(platform, [SERVICE]):
            await demo.load_demo_vehicles(platform)

    for _ in range(2):
        asyncio.run(load())
    second, first = garage.vehicles(ANA)
    assert (first["model_name"], second["model_name"]) == ("Urbana", "Ressaca")
    drivers = garage.conductors(ANA, first["id"]).json()["data"]
    assert [one["status"] for one in drivers] == ["accepted", "pending"]
    assert first["id"] in {one["id"] for one in garage.vehicles(BRUNO)}
    assert first["id"] in {one["vehicle_id"] for one in garage.invitations(FABIO)}
    found = sql("SELECT vehicle_type, count(*) FROM registry.vehicle_model WHERE NOT is_other GROUP BY 1 ORDER BY 1")
    assert [tuple(row) for row in found] == [("autopropelido", 3), ("bicicleta_eletrica", 3), ("ciclomotor", 3)]


def test_without_a_mail_server_the_email_is_skipped(
    garage: Garage, drain: Any, sql: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Production may have no mail server. The sandbox would write e-mails to a folder."""
    monkeypatch.setattr(drivers, "create_mailer", lambda _: None)
    link = garage.invited(ANA, garage.registered(ANA)["id"], DAVI)
    drain()
    found = sql("SELECT email_status, status FROM registry.vehicle_conductor WHERE id = $1", link)
    assert [tuple(row) for row in found] == [("skipped", "pending")]


def test_the_trial_lets_ninety_days_pass_for_who_was_invited(garage: Garage, owner: Any, database_url: str) -> None:
    held = garage.registered(ANA)["id"]
    theirs, anothers = garage.invited(ANA, held, GABRIELA), garage.invited(ANA, held, CARLA)
    asyncio.run(pass_time(database_url, Cpf(GABRIELA), timedelta(days=91)))
    assert owner(links.expire_invitations) == 1
    assert refusal(garage.answer(GABRIELA, theirs)) == (400, "not-pending")
    assert {one["id"] for one in garage.conductors(ANA, held).json()["data"]} == {anothers}
