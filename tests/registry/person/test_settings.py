"""The first login, and the short form of the opt-ins (rules: registry 2.2, 4.7)."""

from typing import Any

import httpx
import pytest

from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal


@pytest.fixture
def cpf() -> str:
    return new_cpf()


@pytest.fixture
def citizen(http: httpx.Client, issuer: Issuer, cpf: str) -> RegistryClient:
    return RegistryClient(http, issuer.person(cpf))


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> RegistryClient:
    return RegistryClient(http, issuer.admin())


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "firstlogin", None),
        ("PUT", "firstlogin", None),
        ("GET", "optin", None),
        ("PUT", "optin", {"opt_in": True}),
    ],
)
def test_who_may_and_which_path_is_malformed(
    http: httpx.Client,
    issuer: Issuer,
    citizen: RegistryClient,
    admin: RegistryClient,
    cpf: str,
    method: str,
    path: str,
    body: Any,
) -> None:
    own = f"/citizen/{cpf}/{path}"
    assert RegistryClient(http)(method, own, body).status_code == 401
    assert RegistryClient(http, issuer.person("90000000256"))(method, own, body).status_code == 403
    assert RegistryClient(http, issuer.machine("portal-cidadao"))(method, own, body).status_code == 403
    assert refusal(admin(method, f"/citizen/123/{path}", body)) == (400, "cpf-invalid")
    assert admin(method, own, body).status_code == 200
    punctuated = f"{cpf[:3]}.{cpf[3:6]}.{cpf[6:9]}-{cpf[9:]}"
    answer = citizen(method, f"/citizen/{punctuated}/{path}", body)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store, private")


def test_the_first_login_ends_once_and_reading_does_not_end_it(citizen: RegistryClient, cpf: str, sql: Sql) -> None:
    path = f"/citizen/{cpf}/firstlogin"
    assert [citizen.ok("GET", path) for _ in range(2)] == [{"firstlogin": True}] * 2
    assert sql("SELECT FROM registry.settings WHERE cpf = $1", cpf) == []
    assert [citizen.ok("PUT", path) for _ in range(2)] == [{"firstlogin": False}] * 2
    assert citizen.ok("GET", path) == {"firstlogin": False}


@pytest.mark.parametrize("body", [None, b"", b"{", b"[]", {"firstlogin": True}, b"\xff"], ids=repr)
def test_any_body_is_ignored(citizen: RegistryClient, cpf: str, body: Any) -> None:
    assert citizen.ok("PUT", f"/citizen/{cpf}/firstlogin", body) == {"firstlogin": False}
    assert citizen.ok("GET", f"/citizen/{cpf}/firstlogin") == {"firstlogin": False}


def test_the_end_of_the_first_login_changes_nothing_else(citizen: RegistryClient, cpf: str, http: httpx.Client) -> None:
    avatar = RegistryClient(http).ok("GET", "/avatars")["data"][0]["id"]
    citizen.ok("PUT", f"/citizen/{cpf}/avatar", {"avatar_id": avatar})
    paths = [f"/citizen/{cpf}/{name}" for name in ("avatar", "optin", "notification-preferences")]
    before = [citizen.ok("GET", path) for path in paths]
    citizen.ok("PUT", f"/citizen/{cpf}/firstlogin")
    assert [citizen.ok("GET", path) for path in paths] == before
    citizen.ok("PUT", f"/citizen/{cpf}/optin", {"opt_in": False})
    assert citizen.ok("GET", f"/citizen/{cpf}/firstlogin") == {"firstlogin": False}


def test_the_opt_ins_are_those_of_the_preferences_both_ways(citizen: RegistryClient, cpf: str) -> None:
    short, long = f"/citizen/{cpf}/optin", f"/citizen/{cpf}/notification-preferences"
    changed = citizen.ok("PUT", short, {"opt_in": False, "category_opt_ins": {"courses": True}})
    held = citizen.ok("GET", long)
    assert changed == citizen.ok("GET", short) == {name: held[name] for name in ("opt_in", "category_opt_ins")}
    assert (changed["opt_in"], changed["category_opt_ins"]["courses"]) == (False, True)
    citizen.ok("PUT", long, {"channel": "mobile", "opt_in": True})
    assert citizen.ok("GET", short)["opt_in"] is True
    entries = citizen.ok("GET", f"{long}/history")["data"]
    assert [(entry["category"], entry["channel"]) for entry in entries[::-1]] == [
        (None, "web"),
        ("courses", "web"),
        (None, "mobile"),
    ]


REFUSED = [
    ({}, 400),
    ({"opt_in": None}, 400),
    ({"opt_in": "true"}, 400),
    ({"opt_in": False, "category_opt_ins": None}, 400),
    ({"opt_in": False, "category_opt_ins": {"health": None}}, 400),
    ({"opt_in": False, "category_opt_ins": {"health": False, "nobody_knows": True}}, 422),
    (b"", 400),
    (b"[]", 400),
]


@pytest.mark.parametrize(("body", "status"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused_changes_nothing(citizen: RegistryClient, cpf: str, body: Any, status: int) -> None:
    before = citizen.ok("GET", f"/citizen/{cpf}/optin")
    assert citizen("PUT", f"/citizen/{cpf}/optin", body).status_code == status
    assert citizen.ok("GET", f"/citizen/{cpf}/optin") == before


def test_a_write_that_expects_another_state_is_refused(citizen: RegistryClient, cpf: str) -> None:
    path = f"/citizen/{cpf}/optin"
    etag = citizen("GET", path).headers["ETag"]
    writes = [citizen("PUT", path, {"opt_in": wanted}, If_Match=etag) for wanted in (False, True)]
    assert [answer.status_code for answer in writes] == [200, 412]
    assert citizen("GET", path, If_None_Match=writes[0].headers["ETag"]).status_code == 304


def test_what_staff_read_and_write_leaves_its_events(admin: RegistryClient, cpf: str, sql: Sql) -> None:
    for path, body in (("firstlogin", None), ("optin", {"opt_in": False})):
        admin.ok("GET", f"/citizen/{cpf}/{path}")
        admin.ok("PUT", f"/citizen/{cpf}/{path}", body)
    events = sql("SELECT operation, action, fields FROM platform.audit_event ORDER BY at DESC LIMIT 4")
    assert [tuple(event) for event in events[::-1]] == [
        ("registry.read_firstlogin", "read", ["firstlogin"]),
        ("registry.end_firstlogin", "update", ["firstlogin"]),
        ("registry.read_optin", "read", ["opt_in", "category_opt_ins"]),
        ("registry.change_optin", "update", ["opt_in"]),
    ]
