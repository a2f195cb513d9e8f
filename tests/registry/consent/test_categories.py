"""Notification categories: the public list and the administration (rules: registry 2.5, 3.8)."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import httpx
import pytest

from tests.registry.registry_client import RegistryClient, new_cpf
from tests.support.body_shapes import INSTANT, differences
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal
from tests.support.rules import read_values

LIST = "/notification-categories"
ADMIN = "/admin/notification-categories"
CATEGORY = {
    "id": str,
    "name": str,
    "description": str,
    "default_opt_in": bool,
    "active": bool,
    "order": int,
    "created_at": INSTANT,
    "updated_at": INSTANT,
}
SEEDED = read_values("registry", "3.8 categories")
_numbers = count(1)


@pytest.fixture
def anonymous(http: httpx.Client) -> RegistryClient:
    return RegistryClient(http)


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> RegistryClient:
    return RegistryClient(http, issuer.admin())


@pytest.fixture
def made(admin: RegistryClient) -> Iterator[Callable[..., dict[str, Any]]]:
    """Yield a function that creates categories. The fixture deactivates them after the test."""
    ids: list[str] = []

    def make(**members: Any) -> dict[str, Any]:
        new = {"id": f"made_{next(_numbers)}", "name": "Feiras", "description": "Feiras da cidade."} | members
        ids.append(new["id"])
        created: dict[str, Any] = admin.ok("POST", ADMIN, new)
        return created

    yield make
    for id_ in ids:
        admin.ok("DELETE", f"{ADMIN}/{id_}")


def ids(talk: RegistryClient, path: str) -> list[str]:
    return [category["id"] for category in talk.ok("GET", path)["categories"]]


def test_the_shipped_categories_stand_in_their_order(anonymous: RegistryClient) -> None:
    answer = anonymous("GET", LIST)
    assert differences(answer.json(), {"categories": [CATEGORY]}) == []
    shown = answer.json()["categories"]
    assert [(row["id"], row["name"], row["default_opt_in"]) for row in shown] == SEEDED
    assert [row["order"] for row in shown] == [1, 2, 3, 4, 5, 6]
    assert len({row["description"] for row in shown}) == 6


def test_the_public_list_may_be_kept_and_changes_with_the_next_write(
    anonymous: RegistryClient, made: Callable[..., dict[str, Any]]
) -> None:
    first = anonymous("GET", LIST)
    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert anonymous("GET", LIST, If_None_Match=first.headers["ETag"]).status_code == 304
    made()
    assert anonymous("GET", LIST, If_None_Match=first.headers["ETag"]).status_code == 200


WRITES = [
    ("GET", ADMIN, None),
    ("POST", ADMIN, {"id": "nova", "name": "N", "description": "D"}),
    ("PUT", f"{ADMIN}/health", {"name": "N"}),
    ("DELETE", f"{ADMIN}/health", None),
]


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_keeping_them_needs_the_action(
    http: httpx.Client, issuer: Issuer, anonymous: RegistryClient, method: str, path: str, body: Any
) -> None:
    assert anonymous(method, path, body).status_code == 401
    assert RegistryClient(http, issuer.person(new_cpf()))(method, path, body).status_code == 403
    assert RegistryClient(http, issuer.machine("portal-cidadao"))(method, path, body).status_code == 403
    assert ids(anonymous, LIST) == [id_ for id_, _, _ in SEEDED]


@pytest.mark.cases("registry", "P7")
def test_a_new_category_is_complete_comes_last_and_shows_to_every_citizen(
    anonymous: RegistryClient,
    admin: RegistryClient,
    made: Callable[..., dict[str, Any]],
    http: httpx.Client,
    issuer: Issuer,
) -> None:
    created = made(name="  Feiras  ")
    assert differences(created, CATEGORY) == []
    assert created == next(row for row in admin.ok("GET", ADMIN)["categories"] if row["id"] == created["id"])
    assert (created["name"], created["default_opt_in"], created["active"]) == ("Feiras", False, True)
    assert created["order"] == max(row["order"] for row in admin.ok("GET", ADMIN)["categories"])
    assert ids(anonymous, LIST)[-1] == created["id"]
    chosen = made(default_opt_in=True, order=0)
    assert ids(anonymous, LIST)[0] == chosen["id"]
    cpf = new_cpf()
    shown = RegistryClient(http, issuer.person(cpf)).ok("GET", f"/citizen/{cpf}/notification-preferences")[
        "category_opt_ins"
    ]
    assert (shown[created["id"]], shown[chosen["id"]]) == (False, True)


def test_equal_orders_stand_by_id_and_the_last_place_is_the_highest(
    anonymous: RegistryClient, made: Callable[..., dict[str, Any]]
) -> None:
    highest = made(order=9999)
    behind = made()
    assert behind["order"] == 9999
    assert ids(anonymous, LIST)[-2:] == sorted([highest["id"], behind["id"]])


@pytest.mark.cases("registry", "P7")
@pytest.mark.parametrize(("name", "value"), read_values("registry", "P7"), ids=repr)
def test_a_malformed_category_is_refused_naming_the_member(admin: RegistryClient, name: str, value: Any) -> None:
    before = admin.ok("GET", ADMIN)
    answer = admin("POST", ADMIN, {"id": "good_id", "name": "N", "description": "D"} | {name: value})
    assert (answer.status_code, f"`{name}`" in answer.json()["error"]) == (400, True)
    if name != "id":
        assert admin("PUT", f"{ADMIN}/health", {name: value}).status_code == 400
    assert admin.ok("GET", ADMIN) == before


@pytest.mark.parametrize("missing", ["id", "name", "description"])
def test_a_category_needs_its_three_texts(admin: RegistryClient, missing: str) -> None:
    new = {"id": "good_id", "name": "N", "description": "D"}
    answer = admin("POST", ADMIN, {name: text for name, text in new.items() if name != missing})
    assert (answer.status_code, f"`{missing}`" in answer.json()["error"]) == (400, True)


@pytest.mark.cases("registry", "P7")
def test_an_id_is_taken_for_ever(admin: RegistryClient, made: Callable[..., dict[str, Any]]) -> None:
    new = {"id": made()["id"], "name": "Outra", "description": "Outra."}
    assert refusal(admin("POST", ADMIN, new)) == (409, "category-exists")
    admin.ok("DELETE", f"{ADMIN}/{new['id']}")
    answer = admin("POST", ADMIN, new)
    assert (answer.status_code, answer.headers["Error-Code"]) == (409, "category-exists")
    assert (
        answer.json()["error"]
        == "Já existe uma categoria com este `id`; uma inativa volta a valer com `active` verdadeiro."
    )


def test_of_parallel_creations_one_wins(admin: RegistryClient) -> None:
    new = {"id": f"race_{next(_numbers)}", "name": "N", "description": "D"}
    with ThreadPoolExecutor(6) as threads:
        answers = sorted(refusal(answer) for answer in threads.map(lambda _: admin("POST", ADMIN, new), range(6)))
    assert answers == [(201, None)] + [(409, "category-exists")] * 5
    admin.ok("DELETE", f"{ADMIN}/{new['id']}")


@pytest.mark.parametrize(
    "change",
    [{"name": "Outra"}, {"description": "Outra."}, {"default_opt_in": True}, {"active": False}, {"order": 77}],
    ids=repr,
)
def test_a_change_keeps_what_it_leaves_out(
    admin: RegistryClient, made: Callable[..., dict[str, Any]], change: dict[str, Any]
) -> None:
    before = made()
    after = admin.ok("PUT", f"{ADMIN}/{before['id']}", change | {"id": "outro", "nada": 1})
    assert after == before | change | {"updated_at": after["updated_at"]}
    assert after["updated_at"] > before["updated_at"]
    assert admin.ok("PUT", f"{ADMIN}/{before['id']}", change) == after


def test_nothing_to_change_is_refused(admin: RegistryClient, made: Callable[..., dict[str, Any]]) -> None:
    answer = admin("PUT", f"{ADMIN}/{made()['id']}", {"nada": 1})
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "nothing-to-change")
    text = "Não há o que alterar: envie `name`, `description`, `default_opt_in`, `active` ou `order`."
    assert answer.json()["error"] == text


def test_a_refused_id_is_told_what_would_do(admin: RegistryClient) -> None:
    answer = admin("POST", ADMIN, {"id": "Bad.Id", "name": "N", "description": "D"})
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "id-invalid")
    assert answer.json()["error"] == (
        "O campo `id` deve ter de 2 a 50 letras minúsculas sem acento, algarismos ou `_`, a começar por uma letra."
    )


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
@pytest.mark.parametrize("id_", ["nobody_knows", "Bad.Id", "a%00b", "x" * 300])
def test_an_unknown_id_is_not_found(admin: RegistryClient, method: str, id_: str) -> None:
    body = {"name": "N"} if method == "PUT" else None
    answer = admin(method, f"{ADMIN}/{id_}", body)
    assert (answer.status_code, answer.headers["Error-Code"]) == (404, "category-unknown")
    assert answer.json()["error"] == "Não há categoria com este `id`."


@pytest.mark.cases("registry", "P7")
def test_deactivated_it_is_gone_and_revived_the_choices_are_back(
    admin: RegistryClient,
    anonymous: RegistryClient,
    made: Callable[..., dict[str, Any]],
    http: httpx.Client,
    issuer: Issuer,
) -> None:
    id_, cpf = made()["id"], new_cpf()
    citizen, path = RegistryClient(http, issuer.person(cpf)), f"/citizen/{cpf}/notification-preferences"
    citizen.ok("PATCH", f"{path}/categories/{id_}", {"channel": "web", "opt_in": True})
    first, again = admin("DELETE", f"{ADMIN}/{id_}"), admin("DELETE", f"{ADMIN}/{id_}")
    assert (first.status_code, again.status_code) == (204, 204)
    assert (first.content, "Content-Type" in first.headers) == (b"", False)
    assert id_ not in ids(anonymous, LIST)
    assert id_ in ids(admin, ADMIN)
    assert id_ not in citizen.ok("GET", path)["category_opt_ins"]
    admin.ok("PUT", f"{ADMIN}/{id_}", {"active": True})
    assert citizen.ok("GET", path)["category_opt_ins"][id_] is True


def test_a_write_that_expects_another_state_is_refused(admin: RegistryClient) -> None:
    created = admin("POST", ADMIN, {"id": "conditional", "name": "N", "description": "D"})
    path, etag = f"{ADMIN}/conditional", created.headers["ETag"]
    changed = admin("PUT", path, {"name": "M"}, If_Match=etag)
    assert (changed.status_code, changed.headers["ETag"] != etag) == (200, True)
    assert admin("PUT", path, {"name": "O"}, If_Match=etag).status_code == 412
    assert admin("DELETE", path, If_Match=etag).status_code == 412
    assert admin("DELETE", path, If_Match=changed.headers["ETag"]).status_code == 204


def test_every_write_leaves_its_event_and_a_repeated_one_none(
    admin: RegistryClient, made: Callable[..., dict[str, Any]], sql: Sql
) -> None:
    id_ = made()["id"]
    for _ in range(2):
        admin.ok("PUT", f"{ADMIN}/{id_}", {"order": 5, "name": "Outra"})
    for _ in range(2):
        admin.ok("DELETE", f"{ADMIN}/{id_}")
    events = sql(
        "SELECT action, actor_kind, fields FROM platform.audit_event"
        " WHERE operation LIKE 'registry.%notification_category' AND action <> 'denied' ORDER BY at DESC LIMIT 3"
    )
    assert [(event["action"], event["actor_kind"], sorted(event["fields"])) for event in events[::-1]] == [
        ("create", "staff", ["category"]),
        ("update", "staff", ["name", "order"]),
        ("delete", "staff", ["category"]),
    ]


@pytest.mark.cases("registry", "P7")
def test_with_none_active_the_list_is_empty_and_nothing_fails(
    anonymous: RegistryClient, admin: RegistryClient, http: httpx.Client, issuer: Issuer
) -> None:
    active = ids(anonymous, LIST)
    try:
        for id_ in active:
            admin.ok("DELETE", f"{ADMIN}/{id_}")
        assert anonymous.ok("GET", LIST) == {"categories": []}
        cpf = new_cpf()
        shown = RegistryClient(http, issuer.person(cpf)).ok("GET", f"/citizen/{cpf}/notification-preferences")
        assert (shown["category_opt_ins"], bool(shown["updated_at"])) == ({}, True)
    finally:
        for id_ in active:
            admin.ok("PUT", f"{ADMIN}/{id_}", {"active": True})
