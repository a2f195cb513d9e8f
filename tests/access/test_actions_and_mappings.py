"""Actions and mappings over HTTP (rules: access 2.2, 3.5, 4.1-4.3)."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao.access.mappings import patterns
from tests.access import stored
from tests.access.callers import BASE, CITIZEN, EDITOR, SUPERADMIN, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import CLIENT, Issuer, bearer
from tests.support.refusals import refusal

Send = Callable[..., httpx.Response]


@pytest.fixture
def admin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.admin())


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


def create_action(send: Send) -> dict[str, Any]:
    answer = send("POST", "/actions", {"name": stored.make_name(), "description": "De teste"})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def map_path(send: Send, pattern: str, action_id: int, method: str = "GET") -> httpx.Response:
    return send("POST", "/mappings", {"path_pattern": pattern, "method": method, "action_id": action_id})


@pytest.fixture
def base() -> str:
    """Return a path prefix that no other test uses."""
    return f"/t{uuid4().hex}"


def find_mapping(sql: Sql, operation: str) -> int:
    found: int = sql("SELECT id FROM access.endpoint_mapping WHERE operation_key = $1", operation)[0]["id"]
    return found


OPERATIONS = [
    ("GET", "/actions", None),
    ("POST", "/actions", {"name": "citizen:read", "description": "Já existe"}),
    ("GET", "/actions/1", None),
    ("DELETE", "/actions/999999", None),
    ("GET", "/actions/1/impact", None),
    ("GET", "/actions/1/holders", None),
    ("GET", "/mappings?method=get&path=/nada", None),
    ("GET", "/mappings/list?limit=1", None),
    ("POST", "/mappings", {"path_pattern": "/nunca", "method": "GET", "action_id": 999999}),
    ("PUT", "/mappings/999999", {"description": "Nunca"}),
    ("DELETE", "/mappings/999999", None),
]


@pytest.mark.parametrize(("method", "path", "body"), OPERATIONS)
def test_each_operation_is_the_administrators_alone(
    http: httpx.Client, issuer: Issuer, sql: Sql, method: str, path: str, body: Any
) -> None:
    refused = [
        issuer.person(CITIZEN),
        issuer.person(EDITOR, realm_access={"roles": ["busca:services:editor", "go:admin"]}),
        issuer.machine(CLIENT, "busca:search"),
    ]
    before = stored.read_version(sql)
    assert http.request(method, BASE + path, json=body).status_code == 401
    answers = [http.request(method, BASE + path, json=body, headers=bearer(token)) for token in refused]
    assert [(answer.status_code, set(answer.json())) for answer in answers] == [(403, {"detail"})] * 3
    allowed = http.request(method, BASE + path, json=body, headers=bearer(issuer.admin()))
    assert allowed.status_code in {200, 400, 404}
    assert stored.read_version(sql) == before


@pytest.mark.cases("access", "1", "20")
def test_the_counts_of_all_actions_are_the_mappings(admin: Send, sql: Sql) -> None:
    first = admin("GET", "/actions?limit=100").json()
    every = first["actions"] + [
        action
        for skip in range(100, first["total"], 100)
        for action in admin("GET", f"/actions/?skip={skip}&limit=100").json()["actions"]
    ]
    assert set(first) == {"actions", "total", "skip", "limit"}
    assert [action["id"] for action in every] == sorted(action["id"] for action in every)
    listed = admin("GET", "/mappings/list")
    assert sum(action["endpoint_count"] for action in every) == len(listed.json())
    assert listed.headers["X-Total-Count"] == str(len(listed.json()))
    found = admin("GET", "/actions?search=CITIZEN:re").json()["actions"]
    assert "citizen:read" in [action["name"] for action in found]
    assert admin("GET", "/actions?search=%25").json()["actions"] == []


@pytest.mark.cases("access", "22")
def test_a_rename_moves_no_action_between_pages(admin: Send) -> None:
    renamed = [create_action(admin) for _ in range(3)]
    total, seen = admin("GET", "/actions?limit=1").json()["total"], []
    for skip in range(0, total, 7):
        seen += [action["id"] for action in admin("GET", f"/actions?skip={skip}&limit=7").json()["actions"]]
        turn = renamed[skip % len(renamed)]
        assert admin("PUT", f"/actions/{turn['id']}", {"name": stored.make_name()}).status_code == 200
    assert (len(seen), len(set(seen))) == (total, total)


def test_an_action_lives_from_creation_to_deletion(admin: Send, sql: Sql) -> None:
    version = stored.read_version(sql)
    made = create_action(admin)
    assert (made["endpoint_count"], stored.read_version(sql)) == (0, version + 1)
    again = admin("POST", "/actions", {"name": made["name"], "description": "Outra"})
    assert refusal(again) == (400, "action-name-taken")
    read = admin("GET", f"/actions/{made['id']}")
    assert (read.json(), read.headers["ETag"] != "") == (made, True)
    assert admin("DELETE", f"/actions/{made['id']}").status_code == 204
    assert admin("GET", f"/actions/{made['id']}").status_code == 404
    assert stored.read_chain(sql)[-1]["operation"] == "action.delete"


def test_what_is_read_can_be_matched_on_write(http: httpx.Client, issuer: Issuer, admin: Send) -> None:
    made = create_action(admin)
    etag = admin("GET", f"/actions/{made['id']}").headers["ETag"]
    headers = bearer(issuer.admin()) | {"If-Match": etag}
    path = f"{BASE}/actions/{made['id']}"
    assert http.put(path, headers=headers, json={"description": "Nova"}).status_code == 200
    assert refusal(http.put(path, headers=headers, json={"description": "Velha"})) == (412, "precondition-failed")


@pytest.mark.cases("access", "24")
def test_an_action_in_use_is_deleted_by_force_alone(admin: Send, sql: Sql, base: str) -> None:
    made = create_action(admin)
    role = stored.make_name()
    admin("POST", "/roles", {"name": role, "description": "De teste"})
    admin("POST", f"/roles/{role}/actions", {"action_name": made["name"]})
    assert map_path(admin, base, made["id"]).status_code == 201
    impact = admin("GET", f"/actions/{made['id']}/impact?operation=delete").json()
    assert impact["blocked_by"] == ["custom_mappings", "grants"]
    refused = admin("DELETE", f"/actions/{made['id']}")
    assert (refusal(refused), refused.json()["detail"].count("1 ")) == ((409, "action-in-use"), 2)
    version = stored.read_version(sql)
    assert admin("DELETE", f"/actions/{made['id']}?force=true").status_code == 204
    assert stored.read_version(sql) == version + 1
    assert admin("GET", f"/roles/{role}/actions").json() == []
    assert admin("GET", f"/mappings?method=GET&path={base}").content == b"null"


@pytest.mark.cases("access", "23")
def test_an_action_that_operations_need_stays(admin: Send, sql: Sql) -> None:
    path = f"/actions/{stored.find_action_id(sql, 'citizen:read')}"
    for force in ("", "?force=true"):
        assert refusal(admin("DELETE", path + force)) == (409, "action-in-use")
    reserved = admin("DELETE", f"/actions/{stored.find_action_id(sql, 'platform:public')}")
    assert refusal(reserved) == (403, "action-reserved")


@pytest.mark.cases("access", "19")
def test_the_impact_names_what_follows_a_rename_and_changes_nothing(admin: Send, superadmin: Send, sql: Sql) -> None:
    action_id, version = stored.find_action_id(sql, "citizen:read"), stored.read_version(sql)
    free = admin("GET", f"/actions/{action_id}/impact?new_name=pessoa:ler").json()
    assert (free["name_available"], free["blocked_by"], free["catalogue_version"]) == (True, [], version)
    assert len(free["mappings"]) == free["action"]["endpoint_count"] > 0
    assert "rmi:atendimento" in [role["name"] for role in free["roles"]]
    taken = admin("GET", f"/actions/{action_id}/impact?new_name=pets:read").json()
    assert (taken["name_available"], taken["blocked_by"]) == (False, ["name_taken"])
    assert admin("GET", f"/actions/{action_id}/impact").json()["name_available"] is None
    assert admin("GET", f"/actions/{action_id}/impact?new_name=x&operation=swap").status_code == 422
    assert stored.read_version(sql) == version
    tested = "SELECT operation_key, also[1] AS key FROM access.endpoint_mapping WHERE also <> '{}' LIMIT 1"
    operation = sql(tested)[0]
    also = stored.find_action_id(sql, operation["key"])
    assert operation["operation_key"] in admin("GET", f"/actions/{also}/impact").json()["also_checked_by"]


@pytest.mark.parametrize("name", ["public", "authenticated", "machine"])
def test_no_role_grants_what_any_caller_of_a_kind_may_do(superadmin: Send, sql: Sql, name: str) -> None:
    action = stored.find_action_id(sql, f"platform:{name}")
    holders = superadmin("GET", f"/actions/{action}/holders").json()
    assert (holders["items"], holders["total"]) == ([], 0)
    assert [value for value in holders.values() if isinstance(value, list) and value] == []


def test_holders_are_named_with_every_way_by_which_they_hold_it(superadmin: Send, sql: Sql) -> None:
    made = create_action(superadmin)
    role, groups = stored.make_name(), sorted(stored.make_name() for _ in range(2))
    superadmin("POST", "/roles", {"name": role, "description": "De teste"})
    superadmin("POST", f"/roles/{role}/actions", {"action_name": made["name"]})
    for group in groups:
        superadmin("POST", "/groups", {"name": group, "description": "De teste"})
        superadmin("POST", f"/roles/groups/{group}/roles", {"role_name": role})
        superadmin("POST", f"/groups/{group}/members", {"subject": EDITOR})
    found = superadmin("GET", f"/actions/{made['id']}/holders").json()
    assert [(item["subject"], item["via"]) for item in found["items"]] == [
        (EDITOR, [{"role": role, "source": "group", "group": group, "reach": {}} for group in groups])
    ]
    assert (found["total"], found["roles"]) == (1, sorted(["admin", "superadmin", role]))
    assert superadmin("GET", f"/actions/{made['id']}/impact").json()["people_count"] == 1


@pytest.mark.cases("access", "28", "29")
def test_the_most_specific_mapping_decides_and_without_one_null(admin: Send, base: str) -> None:
    one, other = create_action(admin), create_action(admin)
    assert map_path(admin, f"{base}/{{id}}", one["id"]).status_code == 201
    assert map_path(admin, f"{base}/me", other["id"]).status_code == 201

    def decide(path: str, method: str = "get") -> Any:
        return admin("GET", f"/mappings?method={method}&path={base}{path}").json()

    assert decide("/me")["action"] == other["name"]
    assert decide("/5x/")["action"] == one["name"]
    assert decide("/5", "HEAD")["action"] == one["name"]
    assert [decide("/5/secret"), decide("/5", "POST"), decide("//5")] == [None, None, None]
    assert set(decide("/me")) == {"mapping_id", "action", "path_pattern", "method", "description"}
    own = admin("GET", "/mappings?method=PUT&path=/access/api/v1/actions/7").json()
    assert own["action"] == "action:update"
    for odd in ("/access/api/v1/actions%252F1", "/access//api/v1/actions/1", "/access/x/../api/v1/actions/1"):
        assert admin("GET", f"/mappings?method=PUT&path={odd}").content == b"null"
    assert admin("GET", "/mappings?path=/a").json()["detail"][0]["type"] == "missing"
    assert admin("GET", "/mappings?path=/a&method=FETCH").json()["detail"][0]["type"] == "enum"


@pytest.mark.cases("access", "25", "26")
def test_a_pattern_that_is_taken_or_crosses_is_refused_by_name(admin: Send, base: str) -> None:
    one, other = create_action(admin)["id"], create_action(admin)["id"]
    assert map_path(admin, f"{base}/a/{{y}}", one).status_code == 201
    for same in (f"{base}/a/{{x}}", f"{base}/a/*"):
        answer = map_path(admin, same, one)
        assert (refusal(answer), f"{base}/a/" in answer.json()["detail"]) == ((409, "mapping-exists"), True)
    crossing = map_path(admin, f"{base}/{{x}}/c", other)
    assert refusal(crossing) == (409, "mapping-ambiguous")
    assert f"{base}/a/{{y}}" in crossing.json()["detail"]
    made = map_path(admin, f"{base}/{{x}}/c", one)
    assert made.status_code == 201
    rebound = admin("PUT", f"/mappings/{made.json()['id']}", {"action_id": other})
    assert refusal(rebound) == (409, "mapping-ambiguous")
    assert map_path(admin, f"{base}/a/c", other).status_code == 201
    assert map_path(admin, f"{base}/a/v{{n}}", one).status_code == 422
    assert map_path(admin, f"{base}/d", 999999).status_code == 404


def test_no_part_of_an_operations_path_is_decided_by_another_mapping(admin: Send, base: str) -> None:
    own = create_action(admin)["id"]
    made = map_path(admin, base, own).json()
    for method, path in (
        ("PUT", "/access/api/v1/actions/7"),
        ("HEAD", "/access/api/v1/actions/7"),
        ("HEAD", "/access/api/v1/actions/{id}"),
        ("GET", "/access/api/v1/roles/groups/x/roles"),
    ):
        asked = {"method": method, "path_pattern": path, "action_id": own}
        for answer in (admin("POST", "/mappings", asked), admin("PUT", f"/mappings/{made['id']}", asked)):
            assert refusal(answer) == (409, "mapping-inside-operation")
            assert "/access/api/v1/" in answer.json()["detail"]
    assert map_path(admin, "/access/api/v1/actions/7/history", own).status_code == 201


def test_a_custom_mapping_changes_and_goes(admin: Send, sql: Sql, base: str) -> None:
    made = map_path(admin, base, create_action(admin)["id"]).json()
    assert (made["service"], made["operation"], made["guard"]) == (None, None, None)
    assert made["created_by"] == "***.000.401-**"
    moved = admin("PUT", f"/mappings/{made['id']}", {"path_pattern": f"{base}/x", "description": "Nova"}).json()
    assert (moved["path_pattern"], moved["description"], moved["action_id"]) == (f"{base}/x", "Nova", made["action_id"])
    version = stored.read_version(sql)
    assert admin("PUT", f"/mappings/{made['id']}", {"path_pattern": f"{base}/x"}).json() == moved
    assert stored.read_version(sql) == version
    assert admin("DELETE", f"/mappings/{made['id']}").status_code == 204
    assert admin("DELETE", f"/mappings/{made['id']}").status_code == 404
    stored.verify(stored.read_chain(sql))


@pytest.mark.cases("access", "31")
def test_every_system_mapping_is_saved_unchanged_as_a_portal_sends_it(admin: Send, sql: Sql) -> None:
    """A portal sends all members, even unchanged ones. Only a changed path or method is refused."""
    version = stored.read_version(sql)
    members = ("path_pattern", "method", "action_id", "description")
    for mapping in admin("GET", "/mappings/list?service=access").json():
        answer = admin("PUT", f"/mappings/{mapping['id']}", {name: mapping[name] for name in members})
        assert (answer.status_code, answer.json()) == (200, mapping)
    assert stored.read_version(sql) == version
    path = f"/mappings/{find_mapping(sql, 'access.update_action')}"
    answers = [
        admin("PUT", path, {"method": "PATCH"}),
        admin("PUT", path, {"path_pattern": "/access/x"}),
        admin("DELETE", path),
    ]
    assert [refusal(answer) for answer in answers] == [(409, "mapping-system")] * 3


def test_every_pattern_of_our_own_is_one_of_the_grammar(admin: Send) -> None:
    """A portal also saves unchanged mappings, so the patterns of our own mappings must follow the grammar."""
    for mapping in admin("GET", "/mappings/list").json():
        assert patterns.check_pattern(mapping["path_pattern"]) == mapping["path_pattern"]


@pytest.mark.cases("access", "32")
def test_an_operation_is_never_opened_below_its_floor(admin: Send, superadmin: Send, sql: Sql) -> None:
    public, any_token = (stored.find_action_id(sql, f"platform:{name}") for name in ("public", "authenticated"))
    personal = f"/mappings/{find_mapping(sql, 'registry.read_preferences')}"
    for action_id in (public, any_token):
        assert refusal(superadmin("PUT", personal, {"action_id": action_id})) == (409, "mapping-floor")
    own = f"/mappings/{find_mapping(sql, 'access.update_action')}"
    looser = superadmin("PUT", own, {"action_id": stored.find_action_id(sql, "pets:read")})
    assert refusal(looser) == (409, "mapping-floor")


def test_what_the_specification_says_of_the_token_check_is_changed_by_nobody(
    http: httpx.Client, superadmin: Send, issuer: Issuer, sql: Sql
) -> None:
    """The token check returns only 200 or 401. If it required an action, it would also return 403."""
    path = f"/mappings/{find_mapping(sql, 'agents.check_token')}"
    for name in ("pets:read", "platform:public"):
        refused = superadmin("PUT", path, {"action_id": stored.find_action_id(sql, name)})
        assert refusal(refused) == (409, "mapping-fixed")
    assert superadmin("PUT", path, {"description": "Confere o token"}).status_code == 200
    citizen = bearer(issuer.person("90000000175"))
    assert http.get("/agent/api/v1/auth", headers=citizen).status_code == 200


@pytest.mark.cases("access", "33")
def test_a_public_operation_is_shut_by_any_administrator_and_opened_by_a_superadmin(
    http: httpx.Client, admin: Send, superadmin: Send, sql: Sql
) -> None:
    path = f"/mappings/{find_mapping(sql, 'registry.list_gender_options')}"
    public = stored.find_action_id(sql, "platform:public")
    genders = admin("GET", "/mappings/list?service=registry&action_filter=platform:public").json()
    address = next(one["path_pattern"] for one in genders if one["operation"] == "registry.list_gender_options")
    assert http.get(address).status_code == 200
    assert admin("PUT", path, {"action_id": stored.find_action_id(sql, "pets:read")}).status_code == 200
    assert http.get(address).status_code == 401
    assert refusal(admin("PUT", path, {"action_id": public})) == (403, "superadmin-only")
    assert superadmin("PUT", path, {"action_id": public}).status_code == 200
    assert http.get(address).status_code == 200
