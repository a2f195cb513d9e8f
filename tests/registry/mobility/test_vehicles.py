"""Tests for registering, reading, changing and deleting vehicles (rules: registry 2.7)."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest

from tests.registry.mobility.garage import CITIZEN, FABIO, PHOTO, UNKNOWN, Garage, form
from tests.support.body_shapes import INSTANT, Matching, Optional, differences
from tests.support.demo_people import ANA, BRUNO, CARLA, DAVI, LUIZ
from tests.support.refusals import refusal

ITEM = {
    "id": str,
    "display_name": str,
    "registration_number": Matching(r"RJ-E-\d{6,}"),
    "brand_id": Optional(str),
    "brand_other": Optional(str),
    "brand_name": Optional(str),
    "model_id": Optional(str),
    "model_other": Optional(str),
    "model_name": Optional(str),
    "vehicle_type": str,
    "color": str,
    "vehicle_photo_url": str,
    "role": str,
}
DETAIL = ITEM | {
    "owner_cpf": str,
    "owner_name": Optional(str),
    "owner_phone": Optional(str),
    "owner_email": Optional(str),
    "serial_number": str,
    "serial_number_photo_url": str,
    "serial_number_photo_file_name": Optional(str),
    "serial_number_photo_file_size": Optional(int),
    "vehicle_photo_file_name": Optional(str),
    "vehicle_photo_file_size": Optional(int),
    "has_invoice": bool,
    "invoice_photo_url": Optional(str),
    "invoice_photo_file_name": Optional(str),
    "invoice_photo_file_size": Optional(int),
    "self_declaration": bool,
    "created_at": INSTANT,
    "updated_at": INSTANT,
}


@pytest.mark.cases("registry", "M1")
def test_a_vehicle_of_the_catalogue_takes_its_type_from_the_model_and_a_number_of_its_own(garage: Garage) -> None:
    extra = {"registration_number": "RJ-E-000000", "owner_phone": "1", "id": "x"}
    made = [garage.registered(ANA, vehicle_type="ciclomotor", brand_other="texto", **extra) for _ in range(2)]
    assert [differences(one, DETAIL) for one in made] == [[], []]
    assert len({one["registration_number"] for one in made} | {"RJ-E-000000"}) == 3
    first = made[0]
    assert (first["vehicle_type"], first["brand_name"], first["model_name"]) == (
        "bicicleta_eletrica",
        "Brisa",
        "Urbana",
    )
    assert (first["brand_other"], first["model_other"], first["role"]) == (None, None, "owner")
    assert garage.vehicle(ANA, first["id"]).json() == first


def test_the_same_key_makes_one_vehicle_and_another_body_is_a_conflict(garage: Garage) -> None:
    first, again = (garage.register(ANA, None, **{"Idempotency-Key": "uma"}) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    another = garage.register(ANA, form(color="Vinho"), **{"Idempotency-Key": "uma"})
    assert refusal(another) == (409, "idempotency-key-reused")


CHANGES: list[tuple[dict[str, Any], dict[str, Any] | str]] = [
    ({}, {}),
    ({"display_name": " Outra "}, {"display_name": "Outra"}),
    ({"color": "Vinho", "self_declaration": False, "registration_number": "x"}, {"color": "Vinho"}),
    ({"model_id": "model_brisa_mini"}, {"model_id": "model_brisa_mini", "vehicle_type": "autopropelido"}),
    (
        {"model_id": None, "model_other": "Só minha"},
        {"model_id": None, "model_other": "Só minha", "brand_id": "brand_brisa"},
    ),
    (
        {"brand_id": "", "model_id": "", "brand_other": "A", "model_other": "B"},
        {
            "brand_id": None,
            "model_id": None,
            "brand_other": "A",
            "model_other": "B",
            "vehicle_type": "bicicleta_eletrica",
        },
    ),
    ({"brand_id": None}, "model-of-another-brand"),
    ({"model_id": ""}, "model-missing"),
    ({"display_name": None}, "body-invalid"),
    ({"vehicle_type": None}, "body-invalid"),
    ({"vehicle_photo_url": None}, "body-invalid"),
    ({"vehicle_photo_file_name": None}, "body-invalid"),
    ({"has_invoice": None}, "body-invalid"),
    ({"has_invoice": True, "invoice_photo_url": None}, "invoice_photo_url-missing"),
    ({"has_invoice": True}, "invoice_photo_url-missing"),
    ({"has_invoice": False, "invoice_photo_url": None}, {"has_invoice": False, "invoice_photo_url": None}),
    ({"color": "Rosa-choque"}, "color-unknown"),
    ({"serial_number": "abc"}, "serial_number-length"),
]


@pytest.mark.cases("registry", "M5")
@pytest.mark.parametrize(("change", "outcome"), CHANGES, ids=repr)
def test_a_change_keeps_what_it_does_not_name(
    garage: Garage, change: dict[str, Any], outcome: dict[str, Any] | str
) -> None:
    held = garage.registered(DAVI)
    try:
        answer = garage.vehicle(DAVI, held["id"], "PATCH", change)
        shown = garage.vehicle(DAVI, held["id"]).json()
        if isinstance(outcome, str):
            assert (*refusal(answer), shown) == (400, outcome, held)
        else:
            differing = {name: value for name, value in shown.items() if held[name] != value}
            assert answer.json() == shown
            assert {name: shown[name] for name in outcome} == outcome
            assert set(differing) <= {*outcome, "updated_at", "brand_name", "model_name"}
    finally:
        garage.vehicle(DAVI, held["id"], "DELETE")


def test_a_new_photo_clears_what_was_known_of_the_old_file(garage: Garage) -> None:
    held = garage.registered(DAVI, vehicle_photo_file_name="a.jpg", vehicle_photo_file_size=5)

    def known(**change: Any) -> tuple[Any, Any]:
        changed = garage.vehicle(DAVI, held["id"], "PATCH", change).json()
        return changed["vehicle_photo_file_name"], changed["vehicle_photo_file_size"]

    assert known(vehicle_photo_url=PHOTO) == ("a.jpg", 5)
    assert known(vehicle_photo_url=PHOTO + "?2", vehicle_photo_file_size=9) == (None, 9)
    assert known(vehicle_photo_url=PHOTO + "?3") == (None, None)


@pytest.mark.cases("registry", "M6")
def test_strangers_find_nothing_and_drivers_may_only_look(garage: Garage, sql: Any) -> None:
    held = garage.registered(ANA)["id"]
    garage.driving(ANA, held, BRUNO)
    for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None)):
        assert refusal(garage.vehicle(CARLA, held, method, body)) == (404, "vehicle-unknown")
        assert refusal(garage.vehicle(CARLA, UNKNOWN, method, body)) == (404, "vehicle-unknown")
        assert refusal(garage.vehicle(CARLA, "nada", method, body)) == (404, "id-unknown")
    assert refusal(garage.conductors(CARLA, held)) == (404, "vehicle-unknown")
    assert refusal(garage.invite(CARLA, held, DAVI)) == (404, "vehicle-unknown")
    assert garage.vehicle(BRUNO, held).status_code == 200
    refused = [
        garage.vehicle(BRUNO, held, "PATCH", {}),
        garage.vehicle(BRUNO, held, "DELETE"),
        garage.conductors(BRUNO, held),
        garage.invite(BRUNO, held, DAVI),
    ]
    assert list(map(refusal, refused)) == [(403, "owner-only")] * 4
    trail = sql("SELECT subject, \"grant\" FROM platform.audit_event WHERE action = 'denied' ORDER BY at DESC LIMIT 4")
    assert {tuple(event) for event in trail} == {("***.000.001-**", "vehicle_link")}


@pytest.mark.cases("registry", "M10")
def test_a_driver_sees_the_owner_masked_and_the_owner_finds_it_in_the_trail(garage: Garage, sql: Any) -> None:
    held = garage.registered(ANA)["id"]
    link = garage.driving(ANA, held, BRUNO)
    seen = garage.vehicle(BRUNO, held).json()
    assert (seen["owner_cpf"], seen["role"], seen["conductor_id"]) == ("***.000.001-**", "conductor", link)
    assert differences(seen, DETAIL | {"conductor_id": str}) == []
    assert next(one["id"] for one in garage.vehicles(BRUNO) if one["role"] == "conductor") == held
    trail = sql("""
        SELECT subject, actor_kind, "grant" FROM platform.audit_event
        WHERE operation = 'registry.read_vehicle' AND action = 'read' ORDER BY at DESC LIMIT 1""")
    assert tuple(trail[0]) == ("***.000.001-**", "citizen", "vehicle_link")


def test_the_owner_is_shown_as_the_merged_record_says_now(garage: Garage, sql: Any) -> None:
    loaded = {"origem": "cadastro", "sistema": "teste"}
    record = {
        "nome": "Luiz Civil",
        "nome_social": "Luiza",
        "email": {"principal": {**loaded, "valor": "luiza@correio.example"}},
        "telefone": {"principal": {**loaded, "ddi": "55", "ddd": "21", "valor": "900001111"}},
    }
    held = garage.registered(LUIZ)
    assert (held["owner_name"], held["owner_phone"], held["owner_email"]) == (None, None, None)
    sql(
        "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2::text::jsonb, 'test')",
        LUIZ,
        json.dumps(record),
    )
    seen = garage.vehicle(LUIZ, held["id"]).json()
    assert (seen["owner_name"], seen["owner_phone"]) == ("Luiza", "+5521900001111")
    assert seen["owner_email"] == "luiza@correio.example"
    scoped = [
        garage.issuer.machine("painel-saude", *scopes) for scopes in (["smtr:read"], ["smtr:read", "rmi:telefone:read"])
    ]
    path = f"{CITIZEN}/{LUIZ}/vehicles/{held['id']}"
    assert [garage.ask(one, "GET", path).json()["owner_phone"] for one in scoped] == [None, "+5521900001111"]
    garage.invited(LUIZ, held["id"], BRUNO, phone="123")
    links = [garage.ask(one, "GET", f"{path}/conductors").json()["data"] for one in scoped]
    assert [link["phone"] for (link,) in links] == [None, "123"]


def test_scope_and_staff_look_in_the_place_of_the_person_and_leave_a_trace(garage: Garage, sql: Any) -> None:
    held = garage.registered(ANA)["id"]
    machine, stranger = (
        garage.issuer.machine("painel-saude", "smtr:read"),
        garage.issuer.machine("painel-saude", "sms:read"),
    )
    paths = ["vehicles", f"vehicles/{held}", f"vehicles/{held}/conductors", "vehicle-invitations"]
    for path in paths:
        found = [garage.ask(who, "GET", f"{CITIZEN}/{ANA}/{path}") for who in (machine, garage.admin)]
        assert [answer.status_code for answer in found] == [200, 200]
        assert garage.ask(stranger, "GET", f"{CITIZEN}/{ANA}/{path}").status_code == 403
        assert garage.ask(BRUNO, "GET", f"{CITIZEN}/{ANA}/{path}").status_code == 403
    assert garage.ask(machine, "DELETE", f"{CITIZEN}/{ANA}/vehicles/{held}").status_code == 403
    reads = sql("""
        SELECT operation, actor_kind FROM platform.audit_event
        WHERE action = 'read' AND actor_kind IN ('client', 'staff') AND "grant" <> 'vehicle_link'""")
    operations = {"list_vehicles", "read_vehicle", "list_vehicle_conductors", "list_vehicle_invitations"}
    wanted = {(f"registry.{name}", kind) for name in operations for kind in ("client", "staff")}
    assert wanted <= {tuple(event) for event in reads}


def test_staff_register_change_and_delete_in_the_place_of_the_person(garage: Garage) -> None:
    path = f"{CITIZEN}/{FABIO}/vehicles"
    made = garage.ask(garage.admin, "POST", path, form()).json()
    assert (made["owner_cpf"], made["role"]) == (FABIO, "owner")
    assert garage.ask(garage.admin, "PATCH", f"{path}/{made['id']}", {"color": "Rosa"}).json()["color"] == "Rosa"
    assert garage.ask(garage.admin, "DELETE", f"{path}/{made['id']}").status_code == 204
    assert refusal(garage.ask(garage.admin, "POST", f"{CITIZEN}/123/vehicles", form())) == (400, "cpf-invalid")


@pytest.mark.cases("registry", "M8")
def test_deleting_is_repeatable_revokes_every_link_and_hides_the_vehicle(garage: Garage, sql: Any) -> None:
    held = garage.registered(ANA)["id"]
    garage.driving(ANA, held, BRUNO)
    pending = garage.invited(ANA, held, CARLA)
    answers = [garage.vehicle(ANA, held, "DELETE") for _ in range(2)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(204, b"")] * 2
    assert "content-type" not in answers[0].headers
    assert refusal(garage.vehicle(ANA, held)) == (404, "vehicle-unknown")
    assert refusal(garage.vehicle(BRUNO, held)) == (404, "vehicle-unknown")
    assert refusal(garage.vehicle(BRUNO, held, "DELETE")) == (404, "vehicle-unknown")
    assert held not in {one["id"] for one in garage.vehicles(ANA) + garage.vehicles(BRUNO)}
    assert refusal(garage.answer(CARLA, pending)) == (404, "conductor-unknown")
    links = sql("SELECT status FROM registry.vehicle_conductor WHERE vehicle_id = $1", held)
    assert {link["status"] for link in links} == {"revoked"}


def test_a_write_that_expects_another_state_is_refused(garage: Garage) -> None:
    held = garage.registered(DAVI)["id"]
    etag = garage.vehicle(DAVI, held).headers["ETag"]
    assert garage.vehicle(DAVI, held, **{"If-None-Match": etag}).status_code == 304
    changed = garage.vehicle(DAVI, held, "PATCH", {"color": "Rosa"}, **{"If-Match": etag})
    assert (changed.status_code, changed.headers["Cache-Control"]) == (200, "no-store, private")
    stale = [
        garage.vehicle(DAVI, held, "PATCH", {"color": "Roxo"}, **{"If-Match": etag}),
        garage.vehicle(DAVI, held, "DELETE", **{"If-Match": etag}),
    ]
    assert [answer.status_code for answer in stale] == [412, 412]
    fresh = {"If-Match": changed.headers["ETag"]}
    assert garage.vehicle(DAVI, held, "DELETE", **fresh).status_code == 204


def test_the_list_shows_own_and_driven_ones_newest_first_page_by_page(garage: Garage) -> None:
    for one in garage.vehicles(FABIO):
        garage.vehicle(FABIO, one["id"], "DELETE")
    own, driven = [garage.registered(FABIO)["id"] for _ in range(2)], garage.registered(ANA)["id"]
    garage.driving(ANA, driven, FABIO)
    garage.invited(ANA, garage.registered(ANA)["id"], FABIO)  # the list omits this vehicle: Fábio has not accepted
    listed = garage.vehicles(FABIO)
    assert [one["id"] for one in listed] == [driven, *reversed(own)]
    assert [differences(one, ITEM | {"conductor_id": str} if n == 0 else ITEM) for n, one in enumerate(listed)] == [
        []
    ] * 3
    second = garage.ask(FABIO, "GET", f"{CITIZEN}/{FABIO}/vehicles?page=2&per_page=2").json()
    assert [one["id"] for one in second["data"]] == [own[0]]
    assert second["pagination"] == {"page": 2, "per_page": 2, "total": 3, "total_pages": 2}
    beyond = garage.ask(FABIO, "GET", f"{CITIZEN}/{FABIO}/vehicles?page=9")
    assert (beyond.status_code, beyond.json()["data"]) == (200, [])
    assert garage.ask(FABIO, "GET", f"{CITIZEN}/{FABIO}/vehicles?per_page=101").status_code == 400


def test_the_limit_of_vehicles_holds_at_once_and_a_deleted_one_makes_room(garage: Garage) -> None:
    owner = "90000000922"
    for _ in range(17):
        garage.registered(owner)
    with ThreadPoolExecutor(8) as pool:
        answers = [refusal(answer) for answer in pool.map(lambda _: garage.register(owner), range(8))]
    assert sorted(answers) == [(201, None)] * 3 + [(409, "vehicle-limit")] * 5
    garage.vehicle(owner, garage.vehicles(owner)[0]["id"], "DELETE")
    assert garage.register(owner).status_code == 201


def test_changes_at_once_are_all_made(garage: Garage) -> None:
    id_ = garage.registered(CARLA)["id"]
    changes = [{"color": "Verde"}, {"display_name": "Outra"}, {"serial_number": "SN-99999"}, {"model_other": None}]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda change: garage.vehicle(CARLA, id_, "PATCH", change), changes))
    assert [answer.status_code for answer in answers] == [200] * 4
    left = garage.vehicle(CARLA, id_).json()
    assert (left["color"], left["display_name"], left["serial_number"]) == ("Verde", "Outra", "SN-99999")


def test_the_same_key_at_once_makes_one_vehicle_also_at_the_limit(garage: Garage) -> None:
    owner = "90000001066"
    for _ in range(19):
        garage.registered(owner)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: garage.register(owner, form(), **{"Idempotency-Key": "at-once"}), range(4)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_vehicle_and_audit_event_stand_or_fall_together(garage: Garage, sql: Callable[..., Any]) -> None:
    before = len(garage.vehicles(CARLA))
    sql("REVOKE INSERT ON platform.audit_event FROM balcao_app")
    try:
        assert refusal(garage.register(CARLA)) == (503, "audit-not-written")
    finally:
        sql("GRANT INSERT ON platform.audit_event TO balcao_app")
    assert len(garage.vehicles(CARLA)) == before


def test_times_are_utc(garage: Garage) -> None:
    made = garage.registered(CARLA)
    assert made["created_at"].endswith("Z")
    assert datetime.fromisoformat(made["created_at"]) <= datetime.fromisoformat(made["updated_at"])
