"""Small catalogues for tests: roles, groups with limits, and memberships."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import uuid4

from tests.access.callers import Send
from tests.support.fixture_types import Sql

# The actions of each role.
ROLES: Mapping[str, Sequence[str]] = {
    "risk": ["risk_notification:read"],
    "jobs": ["job_listing:read", "job_application:decide"],
    "any": ["job_listing:any_department"],
    "keep": ["group:read", "group:read_members", "group:manage_members", "group:create", "group:delete"],
}


class Plan(NamedTuple):
    """A group to create, with its roles and attributes. With `department`, it is a department's group."""

    roles: Sequence[str] = ()
    attributes: Mapping[str, Sequence[str]] = {}
    department: bool = False


GROUPS: Mapping[str, Plan] = {
    "keepers_north": Plan(["keep", "risk"], {"area": ["1.0"]}),
    "keepers": Plan(["keep"]),
    "north": Plan(["risk"], {"area": ["1.0"]}),
    "south": Plan(["risk"], {"area": ["2.0"]}),
    "both": Plan(["risk"], {"area": ["1.0", "2.0"]}),
    "city": Plan(["risk"]),
    "jobs": Plan(["jobs"]),
    "jobs_north": Plan(["jobs"], {"area": ["1.0"]}),
    "everywhere": Plan(["any"]),
    "mine": Plan(department=True),
    "theirs": Plan(department=True),
}


class World(NamedTuple):
    """The stored names of the created groups and roles, by their names in the plan."""

    groups: Mapping[str, str]
    roles: Mapping[str, str]

    def join(self, send: Send, person: str, *groups: str) -> None:
        for group in groups:
            answer = send("POST", f"/groups/{self.groups[group]}/members", {"subject": person})
            assert answer.status_code == 200, answer.text


def make_world(superadmin: Send) -> World:
    """Create the planned roles and groups under new names."""
    stem = uuid4().hex[:12]
    roles = {name: f"t{stem}:{name}" for name in ROLES}
    groups = {
        name: f"go:orgao:{stem}{name}" if planned.department else f"t{stem}:{name}" for name, planned in GROUPS.items()
    }
    for name, actions in ROLES.items():
        superadmin("POST", "/roles", {"name": roles[name], "description": "De teste"})
        for action in actions:
            assert superadmin("POST", f"/roles/{roles[name]}/actions", {"action_name": action}).status_code == 200
    for name, planned in GROUPS.items():
        body = {"name": groups[name], "description": "De teste", "attributes": planned.attributes}
        assert superadmin("POST", "/groups", body).status_code == 201
        for role in planned.roles:
            given = superadmin("POST", f"/roles/groups/{groups[name]}/roles", {"role_name": roles[role]})
            assert given.status_code == 200
    return World(groups, roles)


_WAYS = """
SELECT grp.name, grp.attributes, ARRAY(
    SELECT action.name FROM access.group_role
    JOIN access.role_action USING (role_id) JOIN access.action ON action.id = action_id
    WHERE group_id = grp.id) AS actions
FROM access.grp JOIN access.membership ON group_id = grp.id JOIN access.person ON person.id = person_id
WHERE cpf = $1
"""
AREAS = ("1.0", "2.0", "9.9")
Reached = tuple[str, str, str]


def list_reached(sql: Sql, person: str) -> set[Reached]:
    """Return the actions that a person may use, each with an area and a department (`-` if it has none).

    The result is computed from the tables, independently of the code under test.
    """
    ways = [(row["name"], json.loads(row["attributes"]), row["actions"]) for row in sql(_WAYS, person)]
    departments = {name.removeprefix("go:orgao:") for name, _, _ in ways if name.startswith("go:orgao:")}
    actions = {action for _, _, granted in ways for action in granted}
    if "job_listing:any_department" in actions:
        departments |= {"any", *_every_department(sql)}
    reached = {("go:orgao", "-", department) for department in departments}
    for action in actions:
        limits: list[Any] = [attributes.get("area") for _, attributes, granted in ways if action in granted]
        areas = AREAS if None in limits else {area for limit in limits for area in limit}
        places = {"-", *departments} if action.startswith(("job_listing:", "job_application:")) else {"-"}
        reached |= {(action, area, place) for area in areas for place in places}
    return reached


def _every_department(sql: Sql) -> set[str]:
    found = sql("SELECT name FROM access.grp WHERE starts_with(name, 'go:orgao:')")
    return {row["name"].removeprefix("go:orgao:") for row in found}
