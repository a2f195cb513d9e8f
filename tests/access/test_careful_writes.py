"""Concurrent edits of one record, and creations that are sent twice (rules: access 2.0)."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.access import stored
from tests.access.callers import BASE, EDITOR, SUPERADMIN, Send, make_name, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal

Make = Callable[[Any, str | None], httpx.Response]


@pytest.fixture
def token(issuer: Issuer) -> str:
    return issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]})


@pytest.fixture
def superadmin(http: httpx.Client, token: str) -> Send:
    return sender(http, token)


def make_body(kind: str, sql: Sql) -> dict[str, Any]:
    if kind == "mappings":
        action = stored.find_action_id(sql, "pets:read")
        return {"path_pattern": f"/teste/{uuid4().hex}", "method": "GET", "action_id": action, "description": "Um"}
    return {"name": make_name(), "description": "Um"}


KINDS = ["actions", "roles", "groups", "mappings"]


def find_place(kind: str, made: dict[str, Any]) -> str:
    return f"/{kind}/{made['id' if kind in {'actions', 'mappings'} else 'name']}"


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_who_change_what_they_read_the_second_is_told(
    http: httpx.Client, token: str, superadmin: Send, sql: Sql, kind: str
) -> None:
    place = find_place(kind, superadmin("POST", f"/{kind}", make_body(kind, sql)).json())

    def change(description: str, etag: str) -> httpx.Response:
        headers = bearer(token) | {"If-Match": etag}
        return http.put(BASE + place, json={"description": description}, headers=headers)

    read = superadmin("GET", place)
    first = change("Dois", read.headers["ETag"])
    assert (first.status_code, first.json()["description"]) == (200, "Dois")
    version = stored.read_version(sql)
    assert refusal(change("Três", read.headers["ETag"])) == (412, "precondition-failed")
    assert refusal(change("Três", f"W/{first.headers['ETag']}")) == (412, "precondition-failed")
    assert stored.read_version(sql) == version
    again = superadmin("GET", place)
    assert (again.headers["ETag"], again.json()) == (first.headers["ETag"], first.json())
    assert change("Três", again.headers["ETag"]).status_code == 200
    assert change("Quatro", "*").json()["description"] == "Quatro"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_known_is_not_sent_again_and_what_is_not_there_is_not_found(
    http: httpx.Client, issuer: Issuer, token: str, superadmin: Send, sql: Sql, kind: str
) -> None:
    place = find_place(kind, superadmin("POST", f"/{kind}", make_body(kind, sql)).json())
    etag = superadmin("GET", place).headers["ETag"]
    assert http.get(BASE + place, headers=bearer(token) | {"If-None-Match": etag}).status_code == 304
    unknown = f"/{kind}/999999999" if kind in {"actions", "mappings"} else f"/{kind}/nunca:houve"
    assert refusal(superadmin("GET", unknown)) == (404, "not-found")
    assert refusal(superadmin("PUT", unknown, {"description": "Um"})) == (404, "not-found")
    assert refusal(sender(http, issuer.person(EDITOR))("GET", place)) == (403, "forbidden")


def test_a_group_that_somebody_joined_is_another_state(http: httpx.Client, token: str, superadmin: Send) -> None:
    name = make_name()
    superadmin("POST", "/groups", {"name": name, "description": "De teste"})
    etag = superadmin("GET", f"/groups/{name}").headers["ETag"]
    superadmin("POST", f"/groups/{name}/members", {"subject": EDITOR})
    headers = bearer(token) | {"If-Match": etag}
    changed = http.put(f"{BASE}/groups/{name}", json={"description": "Outra"}, headers=headers)
    assert refusal(changed) == (412, "precondition-failed")


@pytest.fixture
def create(http: httpx.Client, token: str) -> Callable[[str, Any, str], httpx.Response]:
    def create(kind: str, body: Any, key: str) -> httpx.Response:
        return http.post(f"{BASE}/{kind}", json=body, headers=bearer(token) | {"Idempotency-Key": key})

    return create


@pytest.mark.parametrize("kind", KINDS)
def test_a_creation_that_is_sent_twice_creates_once(
    superadmin: Send, create: Callable[[str, Any, str], httpx.Response], sql: Sql, kind: str
) -> None:
    body, key = make_body(kind, sql), uuid4().hex
    first = create(kind, body, key)
    version = stored.read_version(sql)
    second = create(kind, body, key)
    assert (first.status_code, second.status_code) == (201, 201)
    assert second.json() == first.json()
    assert first.headers["X-Catalogue-Version"] == second.headers["X-Catalogue-Version"] == str(version)
    assert refusal(create(kind, body | {"description": "Dois"}, key)) == (409, "idempotency-key-reused")
    assert refusal(create(kind, body, "x" * 129)) == (400, "idempotency-key-invalid")
    assert create(kind, body, uuid4().hex).status_code in {400, 409}
    assert stored.read_version(sql) == version
    stored.verify(stored.read_chain(sql))


def test_a_creation_that_was_refused_keeps_nothing_under_its_key(
    superadmin: Send, create: Callable[[str, Any, str], httpx.Response]
) -> None:
    name, key = make_name(), uuid4().hex
    superadmin("POST", "/groups", {"name": name, "description": "Um"})
    body = {"name": name, "description": "Dois"}
    assert refusal(create("groups", body, key)) == (409, "group-exists")
    assert superadmin("DELETE", f"/groups/{name}").status_code == 204
    assert create("groups", body, key).status_code == 201


def test_the_key_of_another_caller_is_another_key(
    http: httpx.Client, issuer: Issuer, create: Callable[[str, Any, str], httpx.Response]
) -> None:
    body, key = {"name": make_name(), "description": "Um"}, uuid4().hex
    assert create("roles", body, key).status_code == 201
    headers = bearer(issuer.admin()) | {"Idempotency-Key": key}
    assert refusal(http.post(f"{BASE}/roles", json=body, headers=headers)) == (409, "role-exists")
