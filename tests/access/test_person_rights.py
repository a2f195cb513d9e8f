"""A person's actions and their sources, and the actions that one more group would add (rules: access 2.4, 4.8)."""

from typing import Any

import httpx
import pytest

from tests.access import stored
from tests.access.callers import ALONE, CITIZEN, EDITOR, SUPERADMIN, Send, make_name, sender
from tests.access.test_explain import make_invoices
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


@pytest.fixture
def reader(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person("90000040207", realm_access={"roles": ["acessos:leitor"]}))


def read(send: Send, cpf: str, group: str = "") -> Any:
    answer = send("GET", f"/users/{cpf}/actions" + (f"?{httpx.QueryParams({'group': group})}" if group else ""))
    assert answer.status_code == 200, answer.text
    return answer.json()


def make_group(send: Send, role: str, attributes: Any = None) -> str:
    name = make_name()
    made = send("POST", "/groups", {"name": name, "description": "De teste", "attributes": attributes or {}})
    assert made.status_code == 201
    assert send("POST", f"/roles/groups/{name}/roles", {"role_name": role}).status_code == 200
    return name


def test_every_way_to_an_action_is_named(superadmin: Send, reader: Send) -> None:
    made = make_invoices(superadmin)
    found = [one for one in read(reader, EDITOR)["actions"] if one["action"] == made["action"]]
    ways = [
        {"role": made["role"], "source": "group", "group": made[group], "reach": {}} for group in ("groups", "other")
    ]
    assert found == [{"action": made["action"], "reach": {}, "via": ways, "gained": False}]


def test_own_actions_say_what_they_permit_as_it_is_described_now(superadmin: Send) -> None:
    made = make_invoices(superadmin)
    assert superadmin("PUT", f"/actions/{made['id']}", {"description": "Consultar boletos"}).status_code == 200
    described = {one["name"]: one["description"] for one in superadmin("GET", "/users/me/actions").json()["actions"]}
    assert (described[made["action"]], described["user:read"]) == (
        "Consultar boletos",
        "Consultar as pessoas conhecidas e seus acessos",
    )


def test_who_holds_nothing_may_do_nothing_and_a_group_adds_what_it_gives(
    superadmin: Send, reader: Send, sql: Sql
) -> None:
    made = make_invoices(superadmin)
    before = stored.read_version(sql)
    assert read(reader, ALONE) | {"catalogue_version": 0} == {
        "administrator": False,
        "actions": [],
        "departments": [],
        "catalogue_version": 0,
    }
    supposed = read(reader, ALONE, made["groups"])
    assert [(one["action"], one["gained"]) for one in supposed["actions"]] == [(made["action"], True)]
    assert supposed["actions"][0]["via"][0]["group"] == made["groups"]
    assert (stored.read_version(sql), read(reader, ALONE)["actions"]) == (before, [])
    held = read(reader, EDITOR, made["groups"])["actions"]
    assert [one["gained"] for one in held if one["action"] == made["action"]] == [False]


def test_a_group_that_reaches_further_is_a_gain_and_one_that_does_not_is_none(superadmin: Send, reader: Send) -> None:
    north = make_group(superadmin, "saude:risco:operador", {"area": ["1.0"]})
    both = make_group(superadmin, "saude:risco:operador", {"area": ["1.0", "5.1"]})
    everywhere = make_group(superadmin, "saude:risco:operador")
    superadmin("POST", f"/groups/{both}/members", {"subject": CITIZEN})

    def gains(group: str) -> set[tuple[bool, str]]:
        found = [one for one in read(reader, CITIZEN, group)["actions"] if one["action"].startswith("risk_")]
        return {(one["gained"], str(one["reach"])) for one in found}

    assert gains(north) == {(False, "{'area': ['1.0', '5.1']}")}
    assert gains(everywhere) == {(True, "{}")}


def test_an_administrator_may_do_everything_and_a_department_is_named(superadmin: Send, reader: Send) -> None:
    supposed = read(reader, ALONE, "administradores")
    assert supposed["administrator"] is True
    names = {one["action"] for one in supposed["actions"]}
    assert {"pets:read", "action:update"} <= names
    assert not any(name.startswith("platform:") for name in names)
    assert {(one["gained"], one["via"][0]["role"]) for one in supposed["actions"]} == {(True, "admin")}
    department = "go:orgao:1100"
    superadmin("POST", "/groups", {"name": department, "description": "Educação"})
    assert read(reader, ALONE, department)["departments"] == ["1100"]


def test_a_person_asks_about_themselves_and_about_another_with_the_action(
    http: httpx.Client, issuer: Issuer, reader: Send, sql: Sql
) -> None:
    citizen = sender(http, issuer.person(CITIZEN))
    assert citizen("GET", f"/users/{CITIZEN}/actions").status_code == 200
    assert refusal(citizen("GET", f"/users/{EDITOR}/actions")) == (403, "forbidden")
    read(reader, EDITOR)
    event = stored.read_denials(sql)[-1]
    assert (event["operation"], event["subject"]["cpf"]) == ("user.read_actions", "***.000.201-**")
    assert refusal(reader("GET", f"/users/{EDITOR}/actions?group=nunca:houve")) == (404, "not-found")
    assert reader("GET", "/users/123/actions").status_code == 422
