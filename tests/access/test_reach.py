"""Limits of grants: callers cannot grant anything beyond their own limits (rules: access 4.8)."""

from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.access.groups import service as groups_service
from balcao.access.users import service as users_service
from balcao.core.access.reach import Excess, HeldRights, HeldRole
from balcao.core.access.rules import Decision, Reason
from balcao.core.access.snapshot import Role
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.errors import Forbidden
from balcao.core.values.cpf import Cpf
from tests.access import stored
from tests.access.callers import BASE, SUPERADMIN, Send, make_name, sender
from tests.access.test_explain import explain
from tests.access.worlds import GROUPS, World, list_reached, make_world
from tests.core.test_snapshot_rights import make_caller
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer
from tests.support.proof_sizes import EXAMPLES, size
from tests.support.refusals import refusal

KEEPER, ACCOMPLICE, ELSEWHERE, SOUTHERNER, WANDERER = (
    "90000010138", "90000010219", "90000010308", "90000010480", "90000010561",
)  # fmt: skip
PEOPLE = (KEEPER, ACCOMPLICE, ELSEWHERE, SOUTHERNER, WANDERER)


@pytest.fixture(scope="module")
def superadmin(http: httpx.Client, issuer: Issuer) -> Send:
    return sender(http, issuer.person(SUPERADMIN, realm_access={"roles": ["superadmin"]}))


@pytest.fixture(scope="module")
def keeper(http: httpx.Client, issuer: Issuer) -> Send:
    """Return a function that calls as a person who manages members in the north and in one department."""
    return sender(http, issuer.person(KEEPER))


@pytest.fixture
def world(superadmin: Send, sql: Sql) -> World:
    sql("DELETE FROM access.membership USING access.person WHERE person.id = person_id AND cpf = ANY($1)", PEOPLE)
    made = make_world(superadmin)
    made.join(superadmin, KEEPER, "keepers_north", "jobs", "mine")
    made.join(superadmin, ELSEWHERE, "theirs")
    made.join(superadmin, SOUTHERNER, "south")
    made.join(superadmin, WANDERER, "everywhere")
    return made


def add(send: Send, world: World, group: str, person: str) -> tuple[int, str | None]:
    return refusal(send("POST", f"/groups/{world.groups[group]}/members", {"subject": person}))


@pytest.mark.cases("access", "55")
@pytest.mark.parametrize("person", [KEEPER, ACCOMPLICE])
def test_neither_oneself_nor_an_accomplice_gets_further_than_the_one_who_adds_them(
    keeper: Send, world: World, person: str
) -> None:
    beyond = {name: add(keeper, world, name, person) for name in ("city", "both", "south", "theirs", "keepers")}
    assert beyond == dict.fromkeys(beyond, (403, "reach-escalation"))
    assert add(keeper, world, "everywhere", person) == (403, "role-escalation")
    within = {name: add(keeper, world, name, person) for name in ("north", "mine", "jobs", "jobs_north")}
    assert within == dict.fromkeys(within, (200, None))


def test_a_right_joined_to_a_department_of_somebody_elses_gift_is_looked_at_as_a_whole(
    keeper: Send, superadmin: Send, world: World
) -> None:
    assert add(keeper, world, "jobs", ELSEWHERE) == (403, "reach-escalation")
    assert add(keeper, world, "jobs", WANDERER) == (403, "reach-escalation")
    assert add(keeper, world, "north", SOUTHERNER) == (200, None)
    world.join(superadmin, SOUTHERNER, "theirs")
    assert add(keeper, world, "jobs", SOUTHERNER) == (403, "reach-escalation")


@pytest.mark.cases("access", "55")
def test_a_department_is_given_by_whoever_reaches_it_or_all_of_them(
    keeper: Send, superadmin: Send, world: World
) -> None:
    assert add(keeper, world, "theirs", ACCOMPLICE) == (403, "reach-escalation")
    world.join(superadmin, KEEPER, "everywhere")
    assert add(keeper, world, "theirs", ACCOMPLICE) == (200, None)


def test_a_refusal_enters_nobody_and_leaves_its_trace(keeper: Send, world: World, sql: Sql) -> None:
    newcomer, kept, version = "90000010642", len(stored.read_denials(sql)), stored.read_version(sql)
    assert add(keeper, world, "city", newcomer) == (403, "reach-escalation")
    assert sql("SELECT FROM access.person WHERE cpf = $1", newcomer) == []
    assert [event["operation"] for event in stored.read_denials(sql)[kept:]] == ["group.add_member"]
    assert stored.read_version(sql) == version


async def test_a_role_is_given_by_nobody_who_holds_less_whatever_opened_the_operation(
    platform: Platform, world: World
) -> None:
    """The operations' rules already allow only administrators, but the use cases check the caller's rights as well."""
    call = Call(platform, "access.assign_role", "r", Decision(Reason.GRANTED), make_caller(Cpf(KEEPER)))
    for role, code in (("risk", "reach-escalation"), ("any", "role-escalation")):
        with pytest.raises(Forbidden) as refused:
            await groups_service.assign_group_role(call, world.groups["north"], world.roles[role])
        assert refused.value.code == code
        with pytest.raises(Forbidden) as refused:
            await users_service.assign_person_role(call, Cpf(ACCOMPLICE), world.roles[role])
        assert refused.value.code == code


@pytest.fixture
def delegate(http: httpx.Client, issuer: Issuer, superadmin: Send, sql: Sql) -> tuple[Send, str]:
    """Return a group prefix, and a function that calls as a manager of all groups with this prefix."""
    person, stem = "90000010723", make_name()
    sql("DELETE FROM access.membership USING access.person WHERE person.id = person_id AND cpf = $1", person)
    managers = {"name": make_name(), "description": "De teste", "attributes": {"manages": [f"{stem}_*"]}}
    superadmin("POST", "/groups", managers)
    superadmin("POST", "/roles/acessos:grupos/actions", {"action_name": "group:create"})
    superadmin("POST", f"/roles/groups/{managers['name']}/roles", {"role_name": "acessos:grupos"})
    superadmin("POST", f"/groups/{managers['name']}/members", {"subject": person})
    for name in (f"{stem}_a", f"{stem}x", stem):
        superadmin("POST", "/groups", {"name": name, "description": "De teste"})
        superadmin("POST", f"/groups/{name}/members", {"subject": SOUTHERNER})
    return sender(http, issuer.person(person)), stem


def test_a_delegate_manages_the_members_of_the_declared_groups_alone(delegate: tuple[Send, str]) -> None:
    send, stem = delegate
    found = {}
    for name in (f"{stem}_a", f"{stem}x", stem, "administradores"):
        members = f"/groups/{name}/members"
        found[name] = [
            refusal(send("GET", members)),
            refusal(send("POST", members, {"subject": ACCOMPLICE})),
            refusal(send("DELETE", f"{members}/{SOUTHERNER}")),
        ]
    assert found.pop(f"{stem}_a") == [(200, None), (200, None), (204, None)]
    assert found == dict.fromkeys(found, [(403, "group-not-managed")] * 3)


def test_nobody_but_an_administrator_makes_a_group_that_others_then_manage(
    delegate: tuple[Send, str], keeper: Send, superadmin: Send, world: World
) -> None:
    send, stem = delegate
    body = {"name": f"{stem}_new", "description": "De teste"}
    assert [refusal(one("POST", "/groups", body)) for one in (send, keeper)] == [(403, "group-name-managed")] * 2
    assert send("POST", "/groups", {"name": make_name(), "description": "De teste"}).status_code == 201
    assert superadmin("POST", "/groups", body).status_code == 201


def test_a_delegate_hands_on_no_wider_delegation(delegate: tuple[Send, str], superadmin: Send, sql: Sql) -> None:
    send, stem = delegate
    offered = {f"{stem}_same": [f"{stem}_*"], f"{stem}_part": [f"{stem}_a", f"{stem}_ab*"], f"{stem}_wide": ["*"]}
    for name, manages in offered.items():
        body = {"name": name, "description": "De teste", "attributes": {"manages": manages}}
        assert superadmin("POST", "/groups", body).status_code == 201
        superadmin("POST", f"/roles/groups/{name}/roles", {"role_name": "acessos:grupos"})
    answers = [refusal(send("POST", f"/groups/{name}/members", {"subject": ACCOMPLICE})) for name in offered]
    assert answers == [(200, None), (200, None), (403, "reach-escalation")]


@pytest.mark.parametrize("manages", ["A", "a b", "*a", "a**", ""])
def test_only_names_of_groups_and_their_beginnings_are_managed(superadmin: Send, manages: str) -> None:
    body = {"name": make_name(), "description": "De teste", "attributes": {"manages": [manages]}}
    assert superadmin("POST", "/groups", body).json()["detail"][0]["loc"] == ["body", "attributes"]


def test_explain_impact_and_holders_show_how_far_a_right_reaches(superadmin: Send, world: World, sql: Sql) -> None:
    action = stored.find_action_id(sql, "job_application:decide")
    department = world.groups["mine"].removeprefix("go:orgao:")
    ways = explain(superadmin, "GET", f"{BASE}/groups", subject=KEEPER)
    assert (ways["reach"], [way["reach"] for way in ways["via"]]) == ({"area": ["1.0"]}, [{"area": ["1.0"]}])
    assert explain(superadmin, "GET", f"{BASE}/groups")["reach"] == {}
    holders = superadmin("GET", f"/actions/{action}/holders?limit=100").json()["items"]
    shown = {one["subject"]: (one["reach"], [way["reach"] for way in one["via"]]) for one in holders}
    assert shown[KEEPER] == ({"go:orgao": [department]}, [{}])
    groups = superadmin("GET", f"/actions/{stored.find_action_id(sql, 'risk_notification:read')}/impact").json()[
        "groups"
    ]
    reaches = {group["name"]: group["reach"] for group in groups}
    assert reaches[world.groups["both"]] == {"area": ["1.0", "2.0"]}
    assert reaches[world.groups["city"]] == {}


def test_an_earlier_version_tells_the_reach_of_its_time(superadmin: Send, world: World, sql: Sql) -> None:
    version, path = stored.read_version(sql), f"{BASE}/groups"
    superadmin("PUT", f"/groups/{world.groups['keepers_north']}", {"attributes": {"area": ["7.7"]}})
    assert explain(superadmin, "GET", path, subject=KEEPER)["reach"] == {"area": ["7.7"]}
    earlier = explain(superadmin, "GET", path, subject=KEEPER, at_version=str(version))
    assert earlier["reach"] == {"area": ["1.0"]}


groups = st.sampled_from(sorted(GROUPS))
people = st.sampled_from(PEOPLE)
steps = st.one_of(
    st.tuples(st.just("join"), groups, people),
    st.tuples(st.just("leave"), groups, people),
    st.tuples(st.just("again"), groups, people),
    st.tuples(st.just("assign"), groups, people),
    st.tuples(st.just("direct"), groups, people),
)


@pytest.mark.long
@settings(max_examples=size(5, EXAMPLES // 10))
@given(taken=st.lists(steps, min_size=4, max_size=14))
def test_no_sequence_of_steps_takes_anybody_further_than_the_one_who_takes_them(
    keeper: Send, superadmin: Send, sql: Sql, taken: list[tuple[str, str, str]]
) -> None:
    sql("DELETE FROM access.membership USING access.person WHERE person.id = person_id AND cpf = ANY($1)", PEOPLE)
    world = make_world(superadmin)
    world.join(superadmin, KEEPER, "keepers_north", "jobs", "mine")
    world.join(superadmin, ELSEWHERE, "theirs")
    world.join(superadmin, SOUTHERNER, "south")
    world.join(superadmin, WANDERER, "everywhere")
    before = {person: list_reached(sql, person) for person in PEOPLE}
    for step, group, person in taken:
        take(keeper, world, step, group, person)
        for one in PEOPLE:
            assert list_reached(sql, one) - before[one] <= before[KEEPER], (step, group, person, one)


def take(send: Send, world: World, step: str, group: str, person: str) -> None:
    name = world.groups[group]
    if step == "join":
        send("POST", f"/groups/{name}/members", {"subject": person})
    elif step == "leave":
        send("DELETE", f"/groups/{name}/members/{person}")
    elif step == "again":  # replace the group with one that has no limits or roles
        send("DELETE", f"/groups/{name}")
        send("POST", "/groups", {"name": name, "description": "Outro"})
    elif step == "assign":
        send("POST", f"/roles/groups/{name}/roles", {"role_name": world.roles["risk"]})
    else:
        send("POST", f"/users/{person}/roles", {"role_name": world.roles["risk"]})


keys = st.sampled_from(["area", "kind"])
attributes = st.dictionaries(keys, st.lists(st.sampled_from(["1", "2"]), max_size=2))
gifts = st.lists(attributes, max_size=3)


def spell_out(given: list[dict[str, list[str]]]) -> set[tuple[str, str]]:
    """Return every combination of area and kind that the grants allow."""
    if not given:
        return set()
    values: list[Any] = []
    for key in ("area", "kind"):
        limits = [way.get(key) for way in given]
        values.append(["1", "2", "3"] if None in limits else {value for limit in limits for value in limit})  # type: ignore[union-attr]
    return {(area, kind) for area in values[0] for kind in values[1]}


@settings(max_examples=size(300, EXAMPLES))
@given(mine=gifts, had=gifts, new=attributes)
def test_what_is_gained_by_several_limits_at_once_is_compared_place_by_place(
    mine: list[dict[str, list[str]]], had: list[dict[str, list[str]]], new: dict[str, list[str]]
) -> None:
    role = Role(1, "papel", administrative=False, actions=frozenset({"visits:read"}))

    def hold(ways: list[dict[str, list[str]]]) -> HeldRights:
        return HeldRights.of([HeldRole(role, way) for way in ways], [], frozenset())

    excess = hold(mine).find_excess(hold(had), hold([*had, new]))
    if excess is None:
        assert spell_out([*had, new]) - spell_out(had) <= spell_out(mine)


def test_what_is_new_by_one_limit_is_looked_at_as_far_as_all_others_reach() -> None:
    """A grant that adds a kind applies in all areas of the person, so the granter's limits must include every one."""

    def hold(area: str, kinds: str) -> HeldRights:
        return HeldRights(grants={"visits:read": {"area": frozenset(area), "kind": frozenset(kinds)}})

    assert hold("1", "12").find_excess(hold("2", "1"), hold("2", "12")) == Excess("visits:read", "area")
    assert hold("2", "2").find_excess(hold("2", "1"), hold("2", "12")) is None
