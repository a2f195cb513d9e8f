"""The calls that a staff portal makes for access administration (rules: access 2.2, 2.3; cases 20, 31, 41)."""

from typing import Any

import httpx
import pytest

from tests.access import stored
from tests.access.callers import BASE, EDITOR, SUPERADMIN, Send, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer


@pytest.fixture
def portal(http: httpx.Client, issuer: Issuer) -> Send:
    """Return a function that sends requests as an administrator who is logged in to the portal."""
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin", "offline_access"]}))


def get(portal: Send, path: str) -> Any:
    answer = portal("GET", path)
    assert answer.status_code == 200, (path, answer.text)
    return answer.json()


def test_the_portal_opens_by_what_it_is_told_of_the_caller(portal: Send, http: httpx.Client, issuer: Issuer) -> None:
    me = get(portal, "/users/me")
    assert (me["cpf"], me["roles"], me["groups"]) == (SUPERADMIN, ["superadmin"], [])
    assert get(portal, "/users/me/") == me
    without_rights = sender(http, issuer.person("90000040479"))
    assert get(without_rights, "/users/me")["roles"] == []
    assert without_rights("GET", "/users").status_code == 403


def test_people_groups_and_roles_are_kept_on_their_pages(portal: Send) -> None:
    role, action, groups = stored.make_name(), stored.make_name(), sorted(stored.make_name() for _ in range(8))
    portal("POST", "/actions", {"name": action, "description": "De teste"})
    portal("POST", "/roles", {"name": role, "description": "De teste"})
    portal("POST", f"/roles/{role}/actions", {"action_name": action})
    for group in groups:
        portal("POST", "/groups", {"name": group, "description": "De teste"})
        portal("POST", f"/roles/groups/{group}/roles", {"role_name": role})
        portal("POST", f"/groups/{group}/members", {"subject": EDITOR})
    # The portal's groups page reads the roles and members of each group. No rate limit refuses so large a number of
    # calls.
    for _ in range(10):
        shown = [group["name"] for group in get(portal, "/groups?prefix=teste") if group["name"] in groups]
        assert shown == groups
        for group in groups:
            assert [one["name"] for one in get(portal, f"/roles/groups/{group}/roles")] == [role]
            assert [one["subject"] for one in get(portal, f"/groups/{group}/members")] == [EDITOR]
    person = get(portal, f"/users/{EDITOR}")
    assert (set(groups) <= set(person["groups"]), role in person["roles"]) == (True, True)
    assert EDITOR in [user["cpf"] for user in get(portal, "/users?has_groups=true&limit=100")["items"]]
    assert [one["name"] for one in get(portal, f"/roles/{role}/actions")] == [action]
    # To compare two people, a portal reads the holders of an action, and the group from which each person has it.
    action_id = next(one["id"] for one in get(portal, f"/actions?search={action}")["actions"])
    holders = get(portal, f"/actions/{action_id}/holders")
    held = {way["group"] for holder in holders["items"] for way in holder["via"] if holder["subject"] == EDITOR}
    assert held == set(groups)
    for group in groups:
        assert portal("DELETE", f"/groups/{group}").status_code == 204
    assert portal("DELETE", f"/roles/{role}").status_code == 204


def test_the_page_of_mappings_saves_what_it_was_given(portal: Send, sql: Sql) -> None:
    listed = get(portal, "/mappings/list?action_filter=pets:read&service=registry")
    assert listed
    members = ("path_pattern", "method", "action_id", "description")
    version = stored.read_version(sql)
    for mapping in listed:  # a portal sends all members, even those that cannot change
        saved = portal("PUT", f"/mappings/{mapping['id']}", {name: mapping[name] for name in members})
        assert (saved.status_code, saved.json()) == (200, mapping)
    assert stored.read_version(sql) == version


def test_resolving_tells_the_mapping_that_decides_or_null(portal: Send) -> None:
    deciding = get(portal, "/mappings?method=put&path=/access/api/v1/actions/7")
    assert (deciding["method"], deciding["path_pattern"]) == ("PUT", "/access/api/v1/actions/{action_id}")
    assert get(portal, "/mappings/?method=GET&path=/ninguem/mapeou") is None
    explained = get(portal, "/explain?method=PUT&path=/access/api/v1/actions/7")
    assert (explained["mapping"]["id"], explained["action"]["name"]) == (deciding["mapping_id"], deciding["action"])
    assert explained["via"] == [{"role": "superadmin", "source": "token", "group": None, "reach": {}}]


def test_a_rename_is_looked_at_before_it_is_made(portal: Send, http: httpx.Client, issuer: Issuer) -> None:
    action = portal("POST", "/actions", {"name": stored.make_name(), "description": "De teste"}).json()
    taken, free = get(portal, "/actions/1")["name"], stored.make_name()
    assert get(portal, f"/actions/{action['id']}/impact?new_name={taken}")["blocked_by"] == ["name_taken"]
    assert get(portal, f"/actions/{action['id']}/impact?new_name={free}")["name_available"] is True
    renamed = portal("PUT", f"/actions/{action['id']}", {"name": free})
    assert renamed.json() == {"id": action["id"], "name": free, "description": "De teste", "endpoint_count": 0}
    read = http.get(f"{BASE}/actions/{action['id']}", headers=bearer(issuer.admin()))
    assert read.json() == renamed.json()
