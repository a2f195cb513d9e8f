"""Roles assigned directly to a person, and deletion of a person without roles and groups (rules: access 2.5, 4.4)."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.access import stored
from tests.access.callers import BASE, EDITOR, SUPERADMIN, Send, make_name, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import CLIENT, Issuer, bearer
from tests.support.refusals import refusal

PERSON, STRANGER = "90000040550", "90000040630"
ROLES = f"/users/{PERSON}/roles"
VEHICLES = "/registry/v1/citizen/90000000175/vehicles"


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.admin())


def test_a_direct_role_counts_in_the_next_call_until_it_is_taken_away(
    http: httpx.Client, issuer: Issuer, superadmin: Send, sql: Sql
) -> None:
    def read_vehicles() -> int:
        return http.get(VEHICLES, headers=bearer(issuer.person(PERSON))).status_code

    assert read_vehicles() == 403
    version = stored.read_version(sql)
    given = [superadmin("POST", ROLES, {"role_name": "rmi:mobilidade"}) for _ in range(2)]
    assert [answer.status_code for answer in given] == [200, 200]
    assert given[0].json() == given[1].json()
    assert given[0].json() == {"status": "role_assigned", "subject": PERSON, "role": "rmi:mobilidade"}
    assert {answer.headers["X-Catalogue-Version"] for answer in given} == {str(version + 1)}
    assert read_vehicles() == 200
    assert [role["name"] for role in superadmin("GET", ROLES).json()] == ["rmi:mobilidade"]
    assert superadmin("GET", f"/users/{PERSON}").json()["roles"] == ["rmi:mobilidade"]
    gone = [superadmin("DELETE", f"{ROLES}/rmi:mobilidade") for _ in range(2)]
    assert [(answer.status_code, answer.content) for answer in gone] == [(204, b"")] * 2
    assert (read_vehicles(), superadmin("GET", ROLES).json()) == (403, [])
    event = stored.read_chain(sql)[-1]
    assert (event["operation"], event["before"]["role"]) == ("user.remove_role", "rmi:mobilidade")
    assert event["subject"]["cpf"] == "***.000.405-**"
    stored.verify(stored.read_chain(sql))


OPERATIONS: list[tuple[str, str, Any]] = [
    ("GET", ROLES, None),
    ("POST", ROLES, {"role_name": "acessos:grupos"}),
    ("DELETE", f"{ROLES}/acessos:grupos", None),
    ("DELETE", f"/users/{STRANGER}", None),
]


@pytest.mark.parametrize(("method", "path", "body"), OPERATIONS)
def test_they_are_the_administrators_alone(
    http: httpx.Client, issuer: Issuer, sql: Sql, method: str, path: str, body: Any
) -> None:
    before = stored.read_version(sql)
    refused = [
        issuer.person(PERSON),
        issuer.person(EDITOR, realm_access={"roles": ["acessos:leitor", "acessos:grupos", "go:admin"]}),
        issuer.machine(CLIENT, "busca:search"),
    ]
    assert http.request(method, BASE + path, json=body).status_code == 401
    answers = [http.request(method, BASE + path, json=body, headers=bearer(token)) for token in refused]
    assert [(answer.status_code, set(answer.json())) for answer in answers] == [(403, {"detail"})] * 3
    assert stored.read_version(sql) == before


def test_administration_is_given_and_taken_by_a_superadmin_alone(admin: Send, superadmin: Send, sql: Sql) -> None:
    given = admin("POST", f"/users/{STRANGER}/roles", {"role_name": "admin"})
    assert refusal(given) == (403, "superadmin-only")
    assert sql("SELECT FROM access.person WHERE cpf = $1", STRANGER) == []
    denied = stored.read_denials(sql)[-1]
    assert (denied["operation"], denied["subject"]["cpf"]) == ("user.assign_role", "***.000.406-**")
    assert superadmin("POST", ROLES, {"role_name": "admin"}).status_code == 200
    assert refusal(admin("DELETE", f"{ROLES}/admin")) == (403, "superadmin-only")
    assert superadmin("DELETE", f"{ROLES}/admin").status_code == 204


def test_who_has_administration_directly_may_give_it_up(http: httpx.Client, issuer: Issuer, superadmin: Send) -> None:
    assert superadmin("POST", ROLES, {"role_name": "admin"}).status_code == 200
    own = sender(http, issuer.person(PERSON))
    assert own("DELETE", f"{ROLES}/admin").status_code == 204
    assert own("GET", ROLES).status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", f"/users/{STRANGER}/roles", None, 404),
        ("POST", f"/users/{STRANGER}/roles", {"role_name": "nada:existe"}, 404),
        ("DELETE", f"/users/{STRANGER}/roles/rmi:admin", None, 404),
        ("DELETE", f"/users/{STRANGER}", None, 404),
        ("POST", ROLES, {"role_name": "Maiúscula"}, 422),
        ("POST", ROLES, {}, 422),
        ("POST", "/users/11111111111/roles", {"role_name": "rmi:admin"}, 422),
        ("DELETE", "/users/900.000.405-50", None, 422),
    ],
)
def test_what_is_not_there_is_not_found_and_what_is_no_question_is_a_fault(
    superadmin: Send, sql: Sql, method: str, path: str, body: Any, status: int
) -> None:
    version = stored.read_version(sql)
    assert superadmin(method, path, body).status_code == status
    assert stored.read_version(sql) == version


def test_a_person_goes_when_they_hold_nothing_and_is_told_what_stands_in_the_way(superadmin: Send, sql: Sql) -> None:
    group = make_name()
    superadmin("POST", "/groups", {"name": group, "description": "De teste"})
    superadmin("POST", f"/groups/{group}/members", {"subject": PERSON})
    superadmin("POST", ROLES, {"role_name": "rmi:mobilidade"})
    refused = superadmin("DELETE", f"/users/{PERSON}")
    assert refusal(refused) == (409, "user-in-use")
    assert f"{group}, rmi:mobilidade" in refused.json()["detail"]
    superadmin("DELETE", f"/groups/{group}/members/{PERSON}")
    assert refusal(superadmin("DELETE", f"/users/{PERSON}")) == (409, "user-in-use")
    superadmin("DELETE", f"{ROLES}/rmi:mobilidade")
    version = stored.read_version(sql)
    gone = superadmin("DELETE", f"/users/{PERSON}")
    assert (gone.status_code, gone.headers["X-Catalogue-Version"]) == (204, str(version + 1))
    assert superadmin("GET", f"/users/{PERSON}").status_code == 404
    event = stored.read_chain(sql)[-1]
    assert (event["operation"], event["catalogue_version"]) == ("user.delete", version + 1)
    assert superadmin("POST", ROLES, {"role_name": "rmi:mobilidade"}).status_code == 200


def test_a_deleted_role_names_in_the_audit_who_had_it_directly(superadmin: Send, sql: Sql) -> None:
    role = f"teste:{uuid4().hex}"
    superadmin("POST", "/roles", {"name": role, "description": "De teste"})
    superadmin("POST", ROLES, {"role_name": role})
    assert superadmin("DELETE", f"/roles/{role}").status_code == 204
    assert role not in superadmin("GET", f"/users/{PERSON}").json()["roles"]
    assert [person["cpf"] for person in stored.read_chain(sql)[-1]["before"]["people"]] == ["***.000.405-**"]


def test_a_role_is_written_as_a_policy_for_another_engine(superadmin: Send) -> None:
    role = f"teste:{uuid4().hex}"
    superadmin("POST", "/roles", {"name": role, "description": "De teste"})
    for action in ("vehicles:write", "pets:read", "vehicles:read"):
        superadmin("POST", f"/roles/{role}/actions", {"action_name": action})
    assert superadmin("GET", f"/cerbos-policy-template?role={role}").json() == {
        "apiVersion": "api.cerbos.dev/v1",
        "kind": "RolePolicy",
        "rolePolicy": {
            "role": role,
            "scope": "",
            "rules": [
                {"resource": "pets", "allowActions": ["read"]},
                {"resource": "vehicles", "allowActions": ["read", "write"]},
            ],
        },
    }
    whole = superadmin("GET", "/cerbos-policy-template").json()["rolePolicy"]
    assert whole["role"] == "admin"
    assert {"resource": "catalogue", "allowActions": ["apply", "read"]} in whole["rules"]
    assert "platform" not in {rule["resource"] for rule in whole["rules"]}
    assert superadmin("GET", "/cerbos-policy-template?role=nada:existe").status_code == 404
    assert superadmin("GET", "/cerbos-policy-template?role=A").status_code == 422
