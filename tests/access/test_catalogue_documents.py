"""Catalogue documents over HTTP and on the command line (rules: access 4.7)."""

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from balcao.access.documents import yaml_subset
from tests.access import stored
from tests.access.callers import BASE, CITIZEN, EDITOR, SUPERADMIN, Send, sender
from tests.access.test_explain import make_invoices
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.refusals import refusal


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


@pytest.fixture
def token(issuer: Issuer) -> str:
    return issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]})


def send_document(http: httpx.Client, token: str, content: bytes, *, prune: bool = False) -> httpx.Response:
    path = f"{BASE}/catalogue/plan?prune={str(prune).lower()}"
    return http.post(path, content=content, headers=bearer(token) | {"Content-Type": "application/yaml"})


def plan(http: httpx.Client, token: str, document: Any, *, prune: bool = False) -> Any:
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    answer = send_document(http, token, content, prune=prune)
    assert answer.status_code == 200, answer.text
    return answer.json()


def count(planned: Any) -> tuple[int, int, int, int]:
    return tuple(len(planned[name]) for name in ("create", "update", "delete", "blocked"))  # type: ignore[return-value]


def export(send: Send, written_as: str = "yaml") -> bytes:
    return send("GET", f"/catalogue?format={written_as}").content


@pytest.mark.cases("access", "49")
def test_an_export_is_the_same_twice_and_changes_nothing_where_it_comes_from(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    make_invoices(superadmin)
    first, version = superadmin("GET", "/catalogue"), stored.read_version(sql)
    assert (first.headers["ETag"], first.headers["Content-Type"]) == (f'"{version}"', "application/yaml")
    assert export(superadmin) == first.content
    assert yaml.safe_load(first.content) == json.loads(export(superadmin, "json"))
    assert EDITOR.encode() not in first.content
    for written_as in ("yaml", "json"):
        planned = plan(http, token, export(superadmin, written_as), prune=True)
        assert count(planned) == (0, 0, 0, 0)
        assert planned["unchanged"] > 100
    applied = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]}).json()
    assert (applied["applied"], applied["version"], stored.read_version(sql)) == (True, version, version)
    unchanged = http.get(f"{BASE}/catalogue", headers=bearer(token) | {"If-None-Match": f'"{version}"'})
    assert unchanged.status_code == 304


def test_a_plan_is_applied_as_one_version_and_leaves_its_events(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    action, role, group, path = (stored.make_name() for _ in range(4))
    document = {
        "format": 1,
        "actions": [{"name": action, "description": "Primeira"}],
        "roles": [{"name": role, "description": "De teste", "actions": [action, "pets:read"]}],
        "groups": [{"name": group, "description": "De teste", "roles": [role], "attributes": {"area": ["1.0"]}}],
        "mappings": [{"method": "GET", "path": f"/{path}/{{id}}", "action": action, "description": "Um"}],
        "bindings": [{"operation": "registry.list_avatars", "action": action}],
    }
    version, planned = stored.read_version(sql), plan(http, token, document)
    assert count(planned) == (4, 1, 0, 0)
    assert stored.read_version(sql) == version
    applied = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert applied.headers["X-Catalogue-Version"] == str(version + 1) == str(applied.json()["version"])
    events = [event for event in stored.read_chain(sql) if event["catalogue_version"] == version + 1]
    assert [event["operation"] for event in events] == [
        "action.create", "role.create", "role.grant", "role.grant", "group.create", "group.assign_role",
        "mapping.create", "mapping.update", "catalogue.apply",
    ]  # fmt: skip
    assert count(plan(http, token, document)) == (0, 0, 0, 0)
    assert superadmin("GET", f"/groups?prefix={group}").json()[0]["attributes"] == {"area": ["1.0"]}
    kept = plan(http, token, {"format": 1})
    assert (count(kept), kept["unchanged"]) == ((0, 0, 0, 0), 0)
    superadmin("PUT", f"/mappings/{find_mapping(sql, 'registry.list_avatars')}", {"action_id": public_id(sql)})


def find_mapping(sql: Sql, operation: str) -> int:
    found: int = sql("SELECT id FROM access.endpoint_mapping WHERE operation_key = $1", operation)[0]["id"]
    return found


def public_id(sql: Sql) -> int:
    return stored.find_action_id(sql, "platform:public")


@pytest.mark.cases("access", "50")
def test_a_plan_that_the_catalogue_has_overtaken_is_not_applied(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    name = stored.make_name()
    planned = plan(http, token, {"format": 1, "actions": [{"name": name, "description": "De teste"}]})
    superadmin("PUT", f"/actions/{stored.add_action(sql)}", {"name": stored.make_name()})
    refused = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert refusal(refused) == (409, "catalogue-moved")
    assert (
        superadmin("POST", "/catalogue/apply", {"plan_id": "0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"}).status_code == 404
    )
    again = plan(http, token, {"format": 1, "actions": [{"name": name, "description": "De teste"}]})
    sql("UPDATE access.plan SET created_at = now() - interval '16 minutes'")
    assert superadmin("POST", "/catalogue/apply", {"plan_id": again["plan_id"]}).status_code == 404


@pytest.mark.cases("access", "52")
def test_a_renamed_action_keeps_its_id_and_its_mappings(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    made, name = make_invoices(superadmin), stored.make_name()
    renamed = {"name": name, "description": "De teste", "renamed_from": made["action"]}
    planned = plan(http, token, {"format": 1, "actions": [renamed]})
    assert count(planned) == (0, 1, 0, 0)
    superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert stored.read_action(sql, int(made["id"]))[0] == name
    assert superadmin("GET", f"/actions/{made['id']}").json()["endpoint_count"] == 1
    assert count(plan(http, token, {"format": 1, "actions": [renamed]})) == (0, 0, 0, 0)


def test_names_of_actions_in_code_are_swapped(http: httpx.Client, superadmin: Send, token: str, sql: Sql) -> None:
    keys = ["vehicles:write", "vehicle_catalog:write"]
    ids = [stored.find_action_id(sql, key) for key in keys]
    pairs = zip(keys, reversed(keys), strict=True)
    swapped = [{"name": name, "description": "De teste", "renamed_from": key} for key, name in pairs]
    planned = plan(http, token, {"format": 1, "actions": swapped})
    assert superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]}).status_code == 200
    assert [stored.read_action(sql, number)[0] for number in ids] == keys[::-1]
    assert count(plan(http, token, export(superadmin), prune=True)) == (0, 0, 0, 0)


def test_an_operation_whose_own_action_was_deleted_is_exported_with_the_one_that_it_has(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    key, made = "access_audit:read", make_invoices(superadmin)
    number = stored.find_action_id(sql, key)
    bound = sql("SELECT id, operation_key FROM access.endpoint_mapping WHERE action_id = $1", number)
    for mapping in bound:
        changed = superadmin("PUT", f"/mappings/{mapping['id']}", {"action_id": int(made["id"])})
        assert changed.status_code == 200, changed.text
    assert superadmin("DELETE", f"/actions/{number}?force=true").status_code == 204
    bindings = json.loads(export(superadmin, "json"))["bindings"]
    for mapping in bound:
        assert {"operation": mapping["operation_key"], "action": made["action"]} in bindings
    assert count(plan(http, token, export(superadmin), prune=True)) == (0, 0, 0, 0)


def test_nothing_of_the_citys_own_takes_the_name_of_a_deleted_action_in_code(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    key, made = "job_listing:any_department", make_invoices(superadmin)
    assert superadmin("DELETE", f"/actions/{stored.find_action_id(sql, key)}?force=true").status_code == 204
    alone = [
        superadmin("POST", "/actions", {"name": key, "description": "De teste"}),
        superadmin("PUT", f"/actions/{made['id']}", {"name": key}),
    ]
    assert [refusal(answer) for answer in alone] == [(400, "action-name-in-code")] * 2
    for action in ({"name": key}, {"name": key, "renamed_from": made["action"]}):
        planned = plan(http, token, {"format": 1, "actions": [action | {"description": "De teste"}]})
        assert [(one["key"], one["code"]) for one in planned["blocked"]] == [(key, "action-name-in-code")]
        assert refusal(superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})) == (409, "plan-blocked")
    assert sql("SELECT FROM access.action WHERE name = $1", key) == []


def test_a_plan_gives_the_name_of_an_action_in_code_that_it_deletes_to_no_other(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    key, renamed, made = "job_listing:update_published", stored.make_name(), make_invoices(superadmin)
    number = stored.find_action_id(sql, key)
    assert superadmin("PUT", f"/actions/{number}", {"name": renamed}).status_code == 200
    document = json.loads(export(superadmin, "json"))
    for role in document["roles"]:
        role["actions"] = [name for name in role["actions"] if name not in {renamed, made["action"]}]
    document["actions"] = [one for one in document["actions"] if one["name"] not in {renamed, made["action"]}]
    document["mappings"] = [one for one in document["mappings"] if one["action"] != made["action"]]
    document["actions"].append({"name": key, "description": "De teste", "renamed_from": made["action"]})
    blocked = plan(http, token, document, prune=True)["blocked"]
    assert (key, "action-name-in-code") in [(one["key"], one["code"]) for one in blocked]


def test_a_former_name_that_another_action_has_renames_nothing(http: httpx.Client, token: str, sql: Sql) -> None:
    """If `renamed_from` names another existing action, it is ignored, so a document can be applied twice."""
    one, other = (stored.read_action(sql, stored.add_action(sql))[0] for _ in range(2))
    document = {"format": 1, "actions": [{"name": one, "description": "De teste", "renamed_from": other}]}
    planned = plan(http, token, document)
    assert count(planned) == (0, 0, 0, 0)
    assert [warning["code"] for warning in planned["warnings"]] == ["renamed-from-ignored"]


def test_what_would_be_refused_alone_blocks_the_plan(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    role = stored.make_name()
    document: dict[str, Any] = {
        "format": 1,
        "actions": [{"name": "outro:publico", "description": "x", "renamed_from": "platform:public"}],
        "roles": [
            {"name": role, "description": "De teste", "actions": ["action:update"]},
            {"name": "admin", "description": "Administração", "actions": ["pets:read"]},
        ],
        "mappings": [{"method": "GET", "path": "/a", "action": "ninguem:criou"}],
        "bindings": [
            {"operation": "registry.list_pets", "action": "platform:public"},
            {"operation": "registry.no_such", "action": "pets:read"},
        ],
    }
    planned = plan(http, token, document)
    assert {(one["key"], one["code"]) for one in planned["blocked"]} == {
        ("outro:publico", "action-reserved"),
        (role, "action-protected"),
        ("admin", "role-administrative"),
        ("GET /a", "action-unknown"),
        ("registry.list_pets", "mapping-floor"),
    }
    assert [one["code"] for one in planned["warnings"]] == ["operation-unknown"]
    version = stored.read_version(sql)
    refused = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert refusal(refused) == (409, "plan-blocked")
    unknown = plan(http, token, {"format": 1, "mappings": document["mappings"]})
    refused = superadmin("POST", "/catalogue/apply", {"plan_id": unknown["plan_id"]})
    assert refusal(refused) == (409, "plan-blocked")
    assert "GET /a: " in refused.json()["detail"]
    assert stored.read_version(sql) == version


def test_only_an_administrator_applies(http: httpx.Client, issuer: Issuer, token: str) -> None:
    planned = plan(http, token, {"format": 1})
    reader = sender(http, issuer.person(EDITOR, realm_access={"roles": ["acessos:leitor"]}))
    assert reader("GET", "/catalogue").status_code == 200
    assert refusal(reader("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})) == (403, "forbidden")
    citizen = sender(http, issuer.person(CITIZEN))
    assert [citizen("GET", "/catalogue").status_code, citizen("POST", "/catalogue/plan").status_code] == [403, 403]


BOMB = b"a: &a [x, x, x, x, x, x, x, x, x]\n" + b"\n".join(
    f"{chr(ord('b') + n)}: &{chr(ord('b') + n)} [{', '.join(['*' + chr(ord('a') + n)] * 9)}]".encode() for n in range(9)
)


@pytest.mark.cases("access", "51")
@pytest.mark.parametrize(
    ("content", "status"),
    [
        (BOMB, 422),
        (b"format: 1\nformat: 1", 422),
        (b"format: 1\nactions: !!python/object/apply:os.system ['true']", 422),
        (b"format: !!int 1", 422),
        (b"[" * 20 + b"]" * 20, 422),
        (b"format: 1\n---\nformat: 1", 422),
        (b"format: 2", 422),
        (b"", 422),
        (b"- 1", 422),
        (b"a: [", 422),
        (b"\xff\xfe", 422),
        (b"{" * 5000, 422),
        (b"format: 1\nroles: [{name: r, description: d}, {name: r, description: d}]", 422),
        (b"format: 1\nactions: [{name: nocolon, description: d}]", 422),
        (b"#" * 2 * 1024 * 1024, 413),
    ],
)
def test_what_is_no_document_is_refused(http: httpx.Client, token: str, content: bytes, status: int) -> None:
    assert send_document(http, token, content).status_code == status


def test_the_sample_of_the_documentation_is_a_document(http: httpx.Client, token: str) -> None:
    sample = Path(__file__).parents[2] / "docs/operate/samples/access/catalogue.yaml"
    assert plan(http, token, sample.read_bytes())["blocked"] == []


def test_a_document_of_the_greatest_size_is_read_within_a_bound() -> None:
    """The time limit is on CPU time. A parser that needed quadratic time would exceed it."""
    nested, flat = b"{" * 500_000, b"a: [" + b"x," * 400_000 + b"]"
    spent = time.process_time()
    with pytest.raises(yaml_subset.UnsupportedYaml):
        yaml_subset.read_yaml(nested)
    assert len(yaml_subset.read_yaml(flat)["a"]) == 400_000
    assert time.process_time() - spent < 60


@pytest.mark.parametrize("text", ["no", "1", "~", "null", "", "a: b", "# x", "é\u2028\n\tz", " x ", "2026-01-01", "*a"])
def test_a_text_comes_back_as_it_was(text: str) -> None:
    assert yaml_subset.read_yaml(yaml_subset.write_yaml({"a": [text, {"b": text}]})) == {"a": [text, {"b": text}]}
