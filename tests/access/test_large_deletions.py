"""Items with many dependants are deleted in batches, so that callers do not wait (rules: access 4.3, 5 rule 1)."""

import httpx
import pytest

from balcao.access.actions import service as actions
from balcao.access.groups import service as groups
from balcao.access.roles import service as roles
from tests.access import stored
from tests.access.callers import SUPERADMIN, Send, sender
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.refusals import refusal


@pytest.fixture
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


def test_the_largest_group_is_deleted_some_members_at_a_time(
    superadmin: Send, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "MOST_AT_ONCE", 3)
    group, members = stored.make_name(), ["90000000175", "90000000256", "90000000337", "90000000418", "90000020109"]
    superadmin("POST", "/groups", {"name": group, "description": "De teste"})
    for member in [*members, "90000020281", "90000030163", "90000030244"]:
        assert superadmin("POST", f"/groups/{group}/members", {"subject": member}).status_code == 200
    version = stored.read_version(sql)
    assert superadmin("DELETE", f"/groups/{group}").status_code == 204
    events = [event for event in stored.read_chain(sql) if event["catalogue_version"] > version]
    sizes = [
        sum(event["catalogue_version"] == number for event in events)
        for number in range(version + 1, stored.read_version(sql) + 1)
    ]
    assert sizes == [3, 2, 1]
    assert len(events[-1]["before"]["members"]) == 3
    stored.verify(stored.read_chain(sql))


def test_a_role_that_very_many_have_directly_is_taken_from_some_at_a_time(
    superadmin: Send, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roles, "MOST_AT_ONCE", 2)
    role, people = stored.make_name(), ["90000000175", "90000000256", "90000000337", "90000000418", "90000020109"]
    superadmin("POST", "/roles", {"name": role, "description": "De teste"})
    for person in people:
        assert superadmin("POST", f"/users/{person}/roles", {"role_name": role}).status_code == 200
    version = stored.read_version(sql)
    assert superadmin("DELETE", f"/roles/{role}").status_code == 204
    events = [event for event in stored.read_chain(sql) if event["catalogue_version"] > version]
    assert [event["operation"] for event in events] == ["user.remove_role"] * 3 + ["role.delete"]
    assert [event["catalogue_version"] - version for event in events] == [1, 1, 2, 3]
    assert len(events[-1]["before"]["people"]) == 2
    assert sql("SELECT FROM access.person_role JOIN access.role ON role.id = role_id WHERE name = $1", role) == []
    stored.verify(stored.read_chain(sql))


def test_an_action_that_very_many_roles_and_mappings_use_takes_some_at_a_time_along(
    superadmin: Send, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "MOST_AT_ONCE", 2)
    name, path = f"deteste:{stored.make_name()}", f"/{stored.make_name()}"
    action = superadmin("POST", "/actions", {"name": name, "description": "De teste"}).json()["id"]
    granting = sorted(stored.make_name() for _ in range(5))
    for role in granting:
        superadmin("POST", "/roles", {"name": role, "description": "De teste"})
        assert superadmin("POST", f"/roles/{role}/actions", {"action_name": name}).status_code == 200
    for number in range(4):
        mapping = {"method": "GET", "path_pattern": f"{path}/{number}", "action_id": action, "description": "De teste"}
        assert superadmin("POST", "/mappings", mapping).status_code == 201
    assert refusal(superadmin("DELETE", f"/actions/{action}")) == (409, "action-in-use")
    version = stored.read_version(sql)
    deleted = superadmin("DELETE", f"/actions/{action}?force=true")
    assert (deleted.status_code, int(deleted.headers["X-Catalogue-Version"])) == (204, version + 4)
    events = [event for event in stored.read_chain(sql) if event["catalogue_version"] > version]
    assert [(event["operation"], event["catalogue_version"] - version) for event in events] == [
        *[("role.revoke", 1)] * 2,
        ("role.revoke", 2),
        *[("mapping.delete", 3)] * 2,
        ("action.delete", 4),
    ]
    before = events[-1]["before"]
    revoked = [event["target_name"] for event in events[:3]]
    assert sorted(revoked + before["roles"]) == granting
    unmapped = [event["target_name"] for event in events[3:5]] + [
        f"{mapping['method']} {mapping['path_pattern']}" for mapping in before["mappings"]
    ]
    assert sorted(unmapped) == [f"GET {path}/{number}" for number in range(4)]
    assert sql("SELECT FROM access.role_action WHERE action_id = $1", action) == []
    assert sql("SELECT FROM access.endpoint_mapping WHERE action_id = $1", action) == []
    stored.verify(stored.read_chain(sql))


def test_a_role_that_groups_give_is_taken_from_nobody(
    superadmin: Send, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roles, "MOST_AT_ONCE", 1)
    role, group = stored.make_name(), stored.make_name()
    superadmin("POST", "/roles", {"name": role, "description": "De teste"})
    superadmin("POST", "/groups", {"name": group, "description": "De teste"})
    superadmin("POST", f"/roles/groups/{group}/roles", {"role_name": role})
    for person in ("90000000175", "90000000256"):
        assert superadmin("POST", f"/users/{person}/roles", {"role_name": role}).status_code == 200
    assert refusal(superadmin("DELETE", f"/roles/{role}")) == (409, "role-in-use")
    held = sql("SELECT FROM access.person_role JOIN access.role ON role.id = role_id WHERE name = $1", role)
    assert len(held) == 2
