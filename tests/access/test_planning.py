"""Plans are computed in memory and written in one step, so that no caller waits for them (rules: access 4.7)."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.access.catalogue.chain import ChainHead, chain_events
from balcao.access.documents import service, writing
from balcao.access.documents.draft import Draft
from balcao.access.documents.schemas import Item
from balcao.access.mappings.patterns import erase_parameter_names, patterns_cross
from balcao.access.mappings.places import MappingTree
from tests.access import stored
from tests.access.callers import CITIZEN, EDITOR, SUPERADMIN, Send, sender
from tests.access.test_catalogue_documents import count, plan
from tests.access.test_explain import make_invoices
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.polling import PATIENCE, until_now
from tests.support.proof_sizes import EXAMPLES, size
from tests.support.refusals import refusal

# The query finds locks other than AccessShareLock. Reads take only AccessShareLock, which blocks no writer.
LOCKS = """
SELECT relname, mode FROM pg_locks JOIN pg_class ON pg_class.oid = relation
JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = 'access' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND mode <> 'AccessShareLock'
"""


@pytest.fixture
def token(issuer: Issuer) -> str:
    return issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]})


@pytest.fixture
def superadmin(http: httpx.Client, token: str) -> Send:
    return sender(http, token)


def make_actions(number: int) -> dict[str, Any]:
    stem = stored.make_name()
    return {"format": 1, "actions": [{"name": f"{stem}{n}", "description": "De teste"} for n in range(number)]}


def test_a_revocation_goes_through_while_the_largest_plan_is_tried(
    http: httpx.Client, issuer: Issuer, superadmin: Send, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = issuer.person(EDITOR, realm_access={"roles": ["acessos:leitor"]})
    group = stored.make_name()
    superadmin("POST", "/groups", {"name": group, "description": "De teste"})
    superadmin("POST", f"/groups/{group}/members", {"subject": CITIZEN})
    tried, may_end, take = threading.Event(), threading.Event(), Draft.apply

    def apply_and_wait(draft: Draft, steps: Sequence[Item]) -> None:
        take(draft, steps)
        tried.set()
        assert may_end.wait(PATIENCE)

    monkeypatch.setattr(Draft, "apply", apply_and_wait)
    with ThreadPoolExecutor(1) as pool:
        planning = pool.submit(plan, http, reader, make_actions(service.MOST_CHANGES))
        try:
            until_now(lambda: tried.is_set() or planning.done())
            assert tried.is_set(), planning.result()
            held = sql(LOCKS)
            removed = superadmin("DELETE", f"/groups/{group}/members/{CITIZEN}")
        finally:
            may_end.set()
        assert count(planning.result()) == (service.MOST_CHANGES, 0, 0, 0)
    assert held == []
    assert removed.status_code == 204


@pytest.mark.long
def test_a_plan_of_the_largest_size_is_written_by_as_many_statements_as_a_small_one(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[dict[str, int]] = []
    write = writing.write_changes

    async def note(connection: Any, rows: Any, author: Any) -> None:
        written.append({operation: len(items) for operation, items in rows.items()})
        assert connection.is_in_transaction()
        await write(connection, rows, author)

    monkeypatch.setattr(writing, "write_changes", note)
    version = stored.read_version(sql)
    for number in (3, service.MOST_CHANGES):
        planned = plan(http, token, make_actions(number))
        applied = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
        assert (applied.status_code, len(applied.json()["create"])) == (200, number)
    assert written == [{"action.create": 3}, {"action.create": service.MOST_CHANGES}]
    assert stored.read_version(sql) == version + 2
    stored.verify(stored.read_chain(sql))
    assert superadmin("GET", "/audit/verify").json()["ok"] is True


def test_a_document_that_changes_too_much_at_once_is_refused(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    too_many = make_actions(service.MOST_CHANGES + 1)
    refused = http.post("/access/api/v1/catalogue/plan", json=too_many, headers={"Authorization": f"Bearer {token}"})
    assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, ["body"])
    role, names = stored.make_name(), [action["name"] for action in too_many["actions"]]
    for part in (names[:1500], names[1500:]):
        some = {"format": 1, "actions": [{"name": name, "description": "De teste"} for name in part]}
        planned = plan(http, token, some)
        assert superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]}).status_code == 200
    grants = {"format": 1, "roles": [{"name": role, "description": "De teste", "actions": names}]}
    refused = http.post("/access/api/v1/catalogue/plan", json=grants, headers={"Authorization": f"Bearer {token}"})
    assert refused.status_code == 422  # the new role and each grant count as changes
    assert str(service.MOST_CHANGES) in refused.json()["detail"][0]["msg"]


def test_names_go_round_in_a_circle(http: httpx.Client, superadmin: Send, token: str, sql: Sql) -> None:
    keys = [row["code_key"] for row in sql("SELECT code_key FROM access.action WHERE code_key LIKE 'job_%' ORDER BY 1")]
    assert len(keys) > 10
    ids = [stored.find_action_id(sql, key) for key in keys]
    for names in ([*keys[1:], keys[0]], keys):
        pairs = zip(keys, names, strict=True)
        circle = [{"name": name, "description": "De teste", "renamed_from": key} for key, name in pairs]
        planned = plan(http, token, {"format": 1, "actions": circle})
        assert count(planned) == (0, len(keys), 0, 0)
        assert superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]}).status_code == 200
        assert [stored.read_action(sql, number)[0] for number in ids] == names


@pytest.mark.long
def test_an_action_that_goes_leaves_its_name_and_nothing_else_to_another(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    name, role = stored.make_name(), stored.make_name()
    first = {
        "format": 1,
        "actions": [{"name": name, "description": "De teste"}],
        "roles": [{"name": role, "description": "De teste", "actions": [name]}],
    }
    superadmin("POST", "/catalogue/apply", {"plan_id": plan(http, token, first)["plan_id"]})
    old = stored.read_version(sql)
    exported = superadmin("GET", "/catalogue?format=json").json()
    for action in exported["actions"]:
        if action["name"] == "avatars:write":
            action |= {"name": name, "renamed_from": "avatars:write"}
    for one in exported["roles"]:
        one["actions"] = [listed for listed in one["actions"] if listed != "avatars:write"]
    exported["actions"] = [one for one in exported["actions"] if one["name"] != name or "renamed_from" in one]
    planned = plan(http, token, exported, prune=True)
    assert planned["blocked"] == []
    applied = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert applied.status_code == 200, applied.text
    assert stored.read_action(sql, stored.find_action_id(sql, "avatars:write"))[0] == name
    granted = superadmin("GET", f"/roles/{role}/actions").json()
    assert [one["id"] for one in granted] == [stored.find_action_id(sql, "avatars:write")]
    assert count(plan(http, token, superadmin("GET", "/catalogue").content, prune=True)) == (0, 0, 0, 0)
    explained = superadmin("GET", f"/explain?method=GET&path=/access/api/v1/roles&at_version={old}")
    assert explained.status_code == 200, explained.text
    stored.verify(stored.read_chain(sql))


def test_an_action_that_the_document_leaves_out_but_uses_is_not_deleted(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql
) -> None:
    made, role = make_invoices(superadmin), stored.make_name()
    superadmin("POST", "/roles", {"name": role, "description": "De teste"})
    superadmin("POST", f"/roles/{role}/actions", {"action_name": made["action"]})
    document = superadmin("GET", "/catalogue?format=json").json()
    document["actions"] = [one for one in document["actions"] if one["name"] != made["action"]]
    planned = plan(http, token, document, prune=True)
    assert list_blocked(planned) == [(made["action"], "action-in-use")]
    assert refusal(superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})) == (409, "plan-blocked")
    for one in document["roles"]:
        one["actions"] = [name for name in one["actions"] if name != made["action"]]
    document["mappings"] = [one for one in document["mappings"] if one["action"] != made["action"]]
    planned = plan(http, token, document, prune=True)
    applied = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert applied.status_code == 200, applied.text
    assert sql("SELECT FROM access.action WHERE name = $1", made["action"]) == []


def test_a_forbidden_step_of_a_plan_leaves_its_trace_and_is_a_conflict(
    http: httpx.Client, issuer: Issuer, sql: Sql
) -> None:
    token, group = issuer.admin(), stored.make_name()
    document: dict[str, Any] = {
        "format": 1,
        "groups": [{"name": group, "description": "De teste", "roles": ["superadmin"]}],
    }
    planned = plan(http, token, document)
    assert [(one["key"], one["code"]) for one in planned["blocked"]] == [(group, "superadmin-only")]
    kept = len(stored.read_denials(sql))
    applied = sender(http, token)("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert refusal(applied) == (409, "plan-blocked")
    assert [event["operation"] for event in stored.read_denials(sql)[kept:]] == ["catalogue.apply"]


def test_who_may_only_plan_is_told_what_they_could_not_give(
    http: httpx.Client, issuer: Issuer, superadmin: Send, sql: Sql
) -> None:
    reader = issuer.person(EDITOR, realm_access={"roles": ["acessos:leitor"]})
    limited, role, managing, wanted, led = (stored.make_name() for _ in range(5))
    superadmin("POST", "/roles", {"name": role, "description": "De teste"})
    superadmin("POST", f"/roles/{role}/actions", {"action_name": "risk_notification:read"})
    for name, attributes in ((limited, {"area": ["1.0"]}), (managing, {"manages": [f"{led}*"]})):
        superadmin("POST", "/groups", {"name": name, "description": "De teste", "attributes": attributes})
    superadmin("POST", f"/roles/groups/{limited}/roles", {"role_name": role})
    plain = {"format": 1, "groups": [{"name": wanted, "description": "De teste", "roles": [role]}]}
    assert list_blocked(plan(http, reader, plain)) == [(wanted, "role-escalation")]
    assert superadmin("POST", f"/groups/{limited}/members", {"subject": EDITOR}).status_code == 200
    try:
        assert list_blocked(plan(http, reader, plain)) == [(wanted, "reach-escalation")]
    finally:
        superadmin("DELETE", f"/groups/{limited}/members/{EDITOR}")
    managed = {"format": 1, "groups": [{"name": f"{led}x", "description": "De teste"}]}
    assert list_blocked(plan(http, reader, managed)) == [(f"{led}x", "group-name-managed")]


def test_a_group_of_administrators_is_planned_away_by_a_superadmin_alone(
    http: httpx.Client, issuer: Issuer, superadmin: Send, token: str
) -> None:
    group = stored.make_name()
    superadmin("POST", "/groups", {"name": group, "description": "De teste"})
    assert superadmin("POST", f"/roles/groups/{group}/roles", {"role_name": "superadmin"}).status_code == 200
    exported = superadmin("GET", "/catalogue?format=json").json()
    exported["groups"] = [one for one in exported["groups"] if one["name"] != group]
    assert (group, "superadmin-only") in list_blocked(plan(http, issuer.admin(), exported, prune=True))
    assert list_blocked(plan(http, token, exported, prune=True)) == []


def test_what_a_document_names_and_nobody_knows_stands_in_the_way(http: httpx.Client, token: str) -> None:
    role, group = stored.make_name(), stored.make_name()
    document: dict[str, Any] = {
        "format": 1,
        "roles": [{"name": role, "description": "De teste", "actions": ["nobody:knows"]}],
        "groups": [{"name": group, "description": "De teste", "roles": ["nobody:knows"]}],
    }
    blocked = dict(list_blocked(plan(http, token, document)))
    assert blocked[role] == "action-unknown"
    assert set(blocked) == {role, group}


def list_blocked(planned: Any) -> list[tuple[str, str]]:
    return [(one["key"], one["code"]) for one in planned["blocked"]]


def test_a_catalogue_that_moves_while_a_plan_is_applied_is_left_alone(
    http: httpx.Client, superadmin: Send, token: str, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = make_actions(1)
    planned, take = plan(http, token, document), Draft.apply

    def apply_and_move(draft: Draft, steps: Sequence[Item]) -> None:
        take(draft, steps)
        superadmin("POST", "/groups", {"name": stored.make_name(), "description": "De teste"})

    monkeypatch.setattr(Draft, "apply", apply_and_move)
    applied = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert refusal(applied) == (409, "catalogue-moved")
    assert sql("SELECT FROM access.action WHERE name = $1", document["actions"][0]["name"]) == []


def test_a_plan_of_a_former_catalogue_is_told_so_whatever_stands_in_its_way_now(
    http: httpx.Client, superadmin: Send, token: str
) -> None:
    role, group = stored.make_name(), stored.make_name()
    superadmin("POST", "/roles", {"name": role, "description": "De teste"})
    planned = plan(http, token, {"format": 1, "groups": [{"name": group, "description": "De teste", "roles": [role]}]})
    assert superadmin("DELETE", f"/roles/{role}").status_code == 204
    applied = superadmin("POST", "/catalogue/apply", {"plan_id": planned["plan_id"]})
    assert refusal(applied) == (409, "catalogue-moved")


def test_a_plan_shows_how_far_its_groups_reach(http: httpx.Client, token: str) -> None:
    made: list[dict[str, Any]] = [
        {"name": stored.make_name(), "description": "De teste", "attributes": {"area": ["1.0"]}},
        {"name": "go:orgao:7777", "description": "De teste"},
    ]
    planned = plan(http, token, {"format": 1, "groups": made, **make_actions(1)})
    reaches = {item["key"]: item["reach"] for item in planned["create"]}
    assert [reaches[group["name"]] for group in made] == [{"area": ["1.0"]}, {"go:orgao": ["7777"]}]
    assert sum(reach is None for reach in reaches.values()) == 1


segments = st.sampled_from(["a", "b", "{x}", "{y}", "*"])
patterns = st.builds(
    lambda parts, rest: "/" + "/".join([*parts, *rest]),
    st.lists(segments, min_size=1, max_size=3),
    st.sampled_from([[], ["**"]]),
)


@pytest.mark.long
@settings(max_examples=size(200, EXAMPLES))
@given(known=st.lists(patterns, max_size=12, unique_by=erase_parameter_names), wanted=patterns)
def test_every_pattern_that_crosses_another_is_found_among_those_that_meet_it(known: list[str], wanted: str) -> None:
    places: MappingTree[str] = MappingTree()
    for pattern in known:
        assert places.put("GET", pattern, pattern) is None
    found = list(places.find_overlapping("GET", wanted))
    assert len(found) == len(set(found))
    assert {one for one in known if patterns_cross(wanted, one)} <= set(found) <= set(known)
    assert places.find("GET", wanted) == next(
        (one for one in known if erase_parameter_names(one) == erase_parameter_names(wanted)), None
    )
    assert list(places.find_overlapping("POST", wanted)) == []


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=size(60, EXAMPLES))
@given(before=documents, name=texts, version=st.integers(1, 2**40))
def test_events_are_hashed_as_the_database_verifies_them(sql: Sql, before: Any, name: str, version: int) -> None:
    event = {
        "actor": {"sub": name}, "operation": "action.update", "target_type": "action", "target_id": "7",
        "target_name": name, "subject": None, "before": before, "after": None, "request_id": "r",
    }  # fmt: skip
    rows = chain_events(ChainHead(41, "0" * 64, version), [event, event], datetime(2026, 3, 2, 12, 0, 0, 7, tzinfo=UTC))
    hashed = sql(
        "SELECT hash, access.chain_hash(event) AS wanted "
        "FROM jsonb_populate_recordset(NULL::access.audit_event, $1::jsonb) AS event",
        rows.decode(),
    )
    assert [row["hash"] for row in hashed] == [row["wanted"] for row in hashed]
