"""Drivers, who join a vehicle by invitation (rules: registry 2.7, 4.8, 5)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from balcao.core.values.cpf import Cpf
from tests.registry.mobility.garage import CITIZEN, FABIO, UNKNOWN, Garage
from tests.support.body_shapes import INSTANT, Optional, differences
from tests.support.demo_people import ANA, BRUNO, CARLA, DAVI, LUIZ
from tests.support.proof_sizes import size
from tests.support.refusals import refusal
from tests.support.rules import read_values

CONDUCTOR = {
    "id": str,
    "vehicle_id": str,
    "conductor_cpf": str,
    "conductor_name": Optional(str),
    "notify_email": str,
    "phone": Optional(str),
    "status": str,
    "invited_by_cpf": str,
    "email_status": str,
    "email_attempted_at": Optional(INSTANT),
    "created_at": INSTANT,
    "updated_at": INSTANT,
    "responded_at": Optional(INSTANT),
}
INVITATION = {
    "id": str,
    "vehicle_id": str,
    "status": str,
    "invited_by_cpf": str,
    "owner_name": Optional(str),
    "vehicle": {
        "display_name": str,
        "brand_label": str,
        "model_label": str,
        "vehicle_type": str,
        "color": str,
        "vehicle_photo_url": str,
    },
    "created_at": INSTANT,
}


@pytest.fixture
def held(garage: Garage) -> Any:
    """Yield one of Ana's vehicles, and delete it afterwards."""
    made = garage.registered(ANA)["id"]
    yield made
    garage.vehicle(ANA, made, "DELETE")


def invented(number: int) -> str:
    return Cpf.with_stem(f"900000{number:03}").digits


def statuses(sql: Any, vehicle_id: str) -> list[str]:
    rows = sql("SELECT status FROM registry.vehicle_conductor WHERE vehicle_id = $1 ORDER BY created_at", vehicle_id)
    return [row["status"] for row in rows]


@pytest.mark.cases("registry", "M10")
def test_an_invitation_is_pending_and_shows_what_the_owner_typed(garage: Garage, held: str) -> None:
    made = garage.invite(ANA, held, BRUNO, email="Bru.NO@Correio.EXAMPLE", name=" Bruno ", phone="21 9")
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store, private")
    link = made.json()
    assert differences(link, CONDUCTOR) == []
    assert (link["status"], link["conductor_cpf"], link["invited_by_cpf"]) == ("pending", "***.000.002-**", ANA)
    assert (link["notify_email"], link["conductor_name"], link["phone"]) == ("Bru.NO@correio.example", "Bruno", "21 9")
    assert garage.conductors(ANA, held).json() == {"data": [link]}


@pytest.mark.cases("registry", "M7")
@pytest.mark.parametrize(("member", "value", "code"), read_values("registry", "M7"), ids=repr)
def test_a_bad_invitation_is_refused_by_name(garage: Garage, held: str, member: str, value: Any, code: str) -> None:
    answer = garage.invite(ANA, held, **({"cpf": BRUNO} | {member: value}))
    assert (*refusal(answer), f"`{member}`" in answer.json()["error"]) == (400, code, True)
    assert garage.conductors(ANA, held).json() == {"data": []}


def test_a_name_may_have_120_characters(garage: Garage, held: str) -> None:
    link = garage.invite(ANA, held, BRUNO, name="é" * 120)
    assert (link.status_code, link.json()["conductor_name"]) == (201, "é" * 120)


def test_a_cpf_may_have_blanks_around_and_need_not_be_known(garage: Garage, held: str) -> None:
    assert garage.invite(ANA, held, f" {DAVI} ").status_code == 201


@pytest.mark.cases("registry", "M7")
def test_one_open_link_at_a_time_and_a_new_one_after_a_refusal(garage: Garage, held: str, sql: Any) -> None:
    link = garage.invited(ANA, held, BRUNO)
    assert refusal(garage.invite(ANA, held, BRUNO)) == (409, "conductor-exists")
    assert garage.answer(BRUNO, link, "rejected").json()["status"] == "rejected"
    again = garage.invited(ANA, held, BRUNO)
    assert garage.answer(BRUNO, again).status_code == 200
    assert refusal(garage.invite(ANA, held, BRUNO)) == (409, "conductor-exists")
    assert statuses(sql, held) == ["rejected", "accepted"]


@pytest.mark.cases("registry", "M7")
@pytest.mark.parametrize("_", range(size(3, 50)))
def test_two_invitations_at_once_make_one_link(garage: Garage, held: str, sql: Any, _: int) -> None:
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: refusal(garage.invite(ANA, held, BRUNO)), range(2)))
    assert sorted(made) == [(201, None), (409, "conductor-exists")]
    assert statuses(sql, held) == ["pending"]


def test_the_same_key_invites_once(garage: Garage, held: str, sql: Any) -> None:
    path, body = f"{CITIZEN}/{ANA}/vehicles/{held}/conductors", {"cpf": BRUNO, "email": "b@correio.example"}
    key = {"Idempotency-Key": held}
    answers = [garage.ask(ANA, "POST", path, body, **key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    assert refusal(garage.ask(ANA, "POST", path, body | {"name": "x"}, **key)) == (409, "idempotency-key-reused")
    assert statuses(sql, held) == ["pending"]


@pytest.mark.cases("registry", "M8")
def test_only_the_invitee_answers_and_only_once(garage: Garage, held: str) -> None:
    link = garage.invited(ANA, held, BRUNO)
    assert refusal(garage.answer(CARLA, link)) == (404, "conductor-unknown")
    assert refusal(garage.answer(ANA, link)) == (404, "conductor-unknown")
    assert refusal(garage.answer(BRUNO, UNKNOWN)) == (404, "conductor-unknown")
    assert refusal(garage.answer(BRUNO, "nada")) == (404, "id-unknown")
    for word in ("revoked", "pending", "Accepted", ""):
        assert refusal(garage.answer(BRUNO, link, word)) == (400, "status-unknown")
    accepted = garage.answer(BRUNO, link)
    assert differences(accepted.json(), CONDUCTOR) == []
    assert accepted.json()["responded_at"]
    assert (accepted.json()["conductor_cpf"], accepted.json()["invited_by_cpf"]) == (BRUNO, "***.000.001-**")
    again = garage.answer(BRUNO, link)
    assert (again.status_code, again.headers["Error-Code"]) == (400, "not-pending")


def test_invitations_are_pending_ones_newest_first(garage: Garage, held: str) -> None:
    for invitation in garage.invitations(FABIO):
        garage.answer(FABIO, invitation["id"], "rejected")
    other = garage.registered(CARLA, model_id=None, model_other="Só minha", vehicle_type="ciclomotor")["id"]
    first, second = garage.invited(ANA, held, FABIO), garage.invited(CARLA, other, FABIO)
    shown = garage.invitations(FABIO)
    assert [differences(one, INVITATION) for one in shown] == [[], []]
    assert [one["id"] for one in shown] == [second, first]
    assert (shown[0]["vehicle"]["brand_label"], shown[0]["vehicle"]["model_label"]) == ("Brisa", "Só minha")
    assert shown[1]["invited_by_cpf"] == "***.000.001-**"
    assert first not in {one["id"] for one in garage.invitations(BRUNO)}
    garage.answer(FABIO, first)
    assert [one["id"] for one in garage.invitations(FABIO)] == [second]
    garage.vehicle(CARLA, other, "DELETE")
    assert garage.invitations(FABIO) == []


@pytest.mark.cases("registry", "M9")
def test_the_owner_removes_and_the_driver_leaves_each_once(garage: Garage, held: str) -> None:
    pending, accepted = garage.invited(ANA, held, CARLA), garage.driving(ANA, held, BRUNO)
    assert refusal(garage.unlink(CARLA, held, pending)) == (404, "vehicle-unknown")  # Carla is not a driver yet
    assert refusal(garage.unlink(BRUNO, held, pending)) == (404, "conductor-unknown")  # this is not the caller's link
    assert refusal(garage.unlink(BRUNO, held, UNKNOWN)) == (404, "conductor-unknown")
    assert refusal(garage.unlink(ANA, held, UNKNOWN)) == (404, "conductor-unknown")
    other = garage.registered(ANA)["id"]
    assert refusal(garage.unlink(ANA, other, accepted)) == (404, "conductor-unknown")  # another vehicle's link
    left = [garage.unlink(BRUNO, held, accepted) for _ in range(2)]
    assert list(map(refusal, left)) == [(204, None), (404, "vehicle-unknown")]
    assert left[0].content == b""
    assert refusal(garage.vehicle(BRUNO, held)) == (404, "vehicle-unknown")
    assert [refusal(garage.unlink(ANA, held, pending)) for _ in range(2)] == [(204, None), (400, "not-open")]
    assert refusal(garage.unlink(ANA, held, accepted)) == (400, "not-open")
    assert refusal(garage.answer(CARLA, pending)) == (400, "not-pending")
    assert garage.conductors(ANA, held).json() == {"data": []}


@pytest.mark.parametrize("_", range(size(4, 100)))
def test_accepting_against_removing_ends_revoked(garage: Garage, held: str, sql: Any, _: int) -> None:
    link = garage.invited(ANA, held, BRUNO)
    with ThreadPoolExecutor(2) as pool:
        accepting, removing = pool.submit(garage.answer, BRUNO, link), pool.submit(garage.unlink, ANA, held, link)
        outcome = accepting.result().status_code, removing.result().status_code
    assert outcome in {(200, 204), (400, 204)}
    assert statuses(sql, held) == ["revoked"]


@pytest.mark.parametrize("_", range(size(4, 100)))
def test_whatever_meets_a_deletion_leaves_no_open_link(garage: Garage, held: str, sql: Any, _: int) -> None:
    link = garage.invited(ANA, held, BRUNO)
    with ThreadPoolExecutor(4) as pool:
        deleting = [pool.submit(garage.vehicle, ANA, held, "DELETE") for _ in range(2)]
        accepting = pool.submit(garage.answer, BRUNO, link)
        inviting = pool.submit(garage.invite, ANA, held, CARLA)
    assert [answer.result().status_code for answer in deleting] == [204, 204]
    assert accepting.result().status_code in {200, 404}
    assert inviting.result().status_code in {201, 404}
    assert set(statuses(sql, held)) == {"revoked"}


def test_once_accepted_the_drivers_own_values_show_where_there_are_any(garage: Garage, held: str, sql: Any) -> None:
    sql(
        """INSERT INTO registry.base_record (cpf, record, source)
        VALUES ($1, '{"nome": "Luiz do Cadastro"}', 'test')""",
        LUIZ,
    )
    link = garage.invited(ANA, held, LUIZ, name="Lu", phone="123", email="lu@correio.example")
    assert garage.conductors(ANA, held).json()["data"][0]["conductor_name"] == "Lu"
    own = garage.answer(LUIZ, link).json()
    shown = garage.conductors(ANA, held).json()["data"][0]
    for one in (own, shown):
        assert (one["conductor_name"], one["phone"], one["notify_email"]) == (
            "Luiz do Cadastro",
            "123",
            "lu@correio.example",
        )
    assert shown["conductor_cpf"] == "***.000.012-**"
    trail = sql("""
        SELECT subject, "grant" FROM platform.audit_event
        WHERE operation = 'registry.list_vehicle_conductors' AND action = 'read' ORDER BY at DESC LIMIT 1""")
    assert tuple(trail[0]) == ("***.000.012-**", "vehicle_link")


def test_a_citizen_who_reads_an_invitation_is_no_servant_in_the_owners_list(garage: Garage, held: str) -> None:
    garage.invited(ANA, held, LUIZ)
    garage.ask(LUIZ, "GET", f"/registry/v1/citizen/{LUIZ}/vehicle-invitations").raise_for_status()
    answer = garage.ask(ANA, "GET", f"/registry/v1/citizen/{ANA}/data-access").raise_for_status()
    linked = [one for one in answer.json()["data"] if one["grant"] == "vehicle_link"]
    assert {one["actor_kind"] for one in linked} == {"citizen"}


def test_conductors_are_listed_oldest_first_pending_and_accepted(garage: Garage, held: str) -> None:
    links = [garage.driving(ANA, held, BRUNO), garage.invited(ANA, held, CARLA), garage.invited(ANA, held, DAVI)]
    garage.answer(DAVI, links[2], "rejected")
    listed = garage.conductors(ANA, held).json()["data"]
    assert [(one["id"], one["status"]) for one in listed] == [(links[0], "accepted"), (links[1], "pending")]
    assert [differences(one, CONDUCTOR) for one in listed] == [[], []]


def test_the_limit_of_drivers_holds_at_once(garage: Garage, held: str) -> None:
    people = [invented(n) for n in range(300, 314)]
    with ThreadPoolExecutor(7) as pool:
        made = list(pool.map(lambda cpf: refusal(garage.invite(ANA, held, cpf)), people))
    assert sorted(made) == [(201, None)] * 10 + [(409, "conductor-limit")] * 4
    listed = garage.conductors(ANA, held).json()["data"]
    assert garage.unlink(ANA, held, listed[0]["id"]).status_code == 204
    assert garage.invite(ANA, held, invented(400)).status_code == 201


def test_every_write_is_in_the_trail_of_both_people(garage: Garage, held: str, sql: Any) -> None:
    garage.unlink(ANA, held, garage.driving(ANA, held, BRUNO))
    trail = sql("""
        SELECT operation, action, subject, "grant" FROM platform.audit_event
        WHERE fields = '{conductor}' AND action <> 'read' ORDER BY at DESC, id DESC LIMIT 6""")
    ana, bruno = "***.000.001-**", "***.000.002-**"
    assert {tuple(event) for event in trail} == {
        ("registry.invite_vehicle_conductor", "create", ana, "self"),
        ("registry.invite_vehicle_conductor", "create", bruno, "vehicle_link"),
        ("registry.answer_vehicle_invitation", "update", bruno, "self"),
        ("registry.answer_vehicle_invitation", "update", ana, "vehicle_link"),
        ("registry.remove_vehicle_conductor", "delete", ana, "self"),
        ("registry.remove_vehicle_conductor", "delete", bruno, "vehicle_link"),
    }
