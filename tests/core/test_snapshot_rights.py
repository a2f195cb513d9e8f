"""A caller's rights in a catalogue snapshot: roles, limits, and callers who may write (rules: access 3.3)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.access.caller import Caller
from balcao.core.access.membership_index import Membership
from balcao.core.access.rules import AUTHENTICATED, Rule, action, authenticated, client, own, scope
from balcao.core.access.snapshot import EMPTY, Action, Changes, Group, MappedEndpoint, Role, Snapshot
from balcao.core.access.writers import Writers
from balcao.core.values.cpf import Cpf
from tests.support import demo_people
from tests.support.proof_sizes import EXAMPLES, size

ANA, BRUNO = Cpf(demo_people.ANA), Cpf(demo_people.BRUNO)
WANTED, ATTRIBUTE = "visits:read", "area"


def make_caller(cpf: Cpf | None = ANA, roles: Any = (), azp: str = "portal", scopes: Any = ()) -> Caller:
    return Caller("s", azp, cpf, None, None, frozenset(scopes), frozenset(roles), 0.0, is_machine=cpf is None)


def make_snapshot(**parts: Any) -> Snapshot:
    """Return a snapshot with these parts."""
    nothing: dict[str, Any] = {"actions": {}, "mappings": {}, "roles": {}, "groups": {}, "people": {}}
    return EMPTY.following(Changes(version=1, position=0, whole=True, **nothing | parts))


numbers = st.integers(1, 3)
some = st.sets(numbers).map(lambda found: tuple(sorted(found)))
role_actions = st.frozensets(st.sampled_from([WANTED, "visits:write"]))
attributes: st.SearchStrategy[dict[str, list[str]]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({ATTRIBUTE: st.lists(st.sampled_from(["1.0", "2.1", "3.3"]))}),
    st.just({"other": ["1.0"]}),
)


@settings(max_examples=size(150, EXAMPLES))
@given(
    granted=st.dictionaries(numbers, role_actions),
    administrative=st.sampled_from([None, None, None, 1, 2]),
    made=st.dictionaries(numbers, st.tuples(some, attributes)),
    held=st.builds(Membership, some, some),
    claimed=st.frozensets(st.sampled_from(["role1", "role2", "offline_access"])),
)
def test_roles_and_limits_are_those_of_token_person_and_groups(
    granted: Any, administrative: int | None, made: Any, held: Membership, claimed: frozenset[str]
) -> None:
    roles = {item: Role(item, f"role{item}", item == administrative, found) for item, found in granted.items()}
    groups = {item: Group(item, f"group{item}", *found) for item, found in made.items()}
    snapshot = make_snapshot(roles=roles, groups=groups, people={ANA.digits: held})
    by_token = [(f"role{item}", "token", None) for item in roles if f"role{item}" in claimed]
    direct = [(f"role{item}", "direct", None) for item in roles if item in held.roles]
    joined = [made[item] for item in made if item in held.groups]
    through = [
        (f"role{item}", "group", f"group{number}")
        for number in made
        if number in held.groups
        for item in roles
        if item in made[number][0]
    ]
    ways = list(snapshot.list_ways(make_caller(roles=claimed)))
    assert sorted((way.role.name, way.source, way.group or "") for way in ways) == sorted(
        (name, source, group or "") for name, source, group in by_token + direct + through
    )
    assert ways == sorted(ways, key=lambda way: (way.role.name, way.source, way.group or ""))
    giving = {f"role{item}" for item, found in granted.items() if WANTED in found or item == administrative}
    granting = [limits for given_roles, limits in joined if giving & {f"role{item}" for item in given_roles}]
    unlimited = (
        any(name in giving for name, _, _ in by_token + direct)
        or any(ATTRIBUTE not in limits for limits in granting)
        or any(name == f"role{administrative}" for name, _, _ in through)  # an administrative role has no limits
    )
    found = snapshot.find_limits(make_caller(roles=claimed), WANTED, ATTRIBUTE)
    assert found == (None if unlimited else {value for limits in granting for value in limits[ATTRIBUTE]})
    assert snapshot.find_limits(make_caller(BRUNO), WANTED, ATTRIBUTE) == frozenset()


RULES: dict[str, Rule] = {
    "visits.write": own("visits:write").testing("visits:mend"),
    "visits.accept": authenticated(),
    "visits.push": scope("visits:push") | client("PORTALS"),
}
EDITOR = Role(1, "editor", administrative=False, actions=frozenset({"visits:write"}))
MENDER = Role(2, "mender", administrative=False, actions=frozenset({"visits:mend"}))
OTHER = Role(3, "other", administrative=False, actions=frozenset({"#7"}))


@pytest.mark.parametrize(
    ("caller", "included"),
    [
        (make_caller(), False),
        (make_caller(roles=["editor"]), True),
        (make_caller(roles=["mender"]), True),
        (make_caller(roles=["other"]), False),
        (make_caller(None), False),
        (make_caller(None, scopes=["visits:push"]), True),
        (make_caller(scopes=["visits:push"]), False),
        (make_caller(None, azp="painel"), True),
        (make_caller(azp="painel"), False),
    ],
)
def test_who_writes_by_a_right_is_a_writer_and_who_writes_their_own_is_none(caller: Caller, *, included: bool) -> None:
    snapshot = make_snapshot(roles={role.id: role for role in (EDITOR, MENDER, OTHER)})
    lists = {"PORTALS": frozenset({"painel"})}
    assert Writers(RULES.items()).include(caller, snapshot, lists) is included
    assert not Writers([]).include(caller, snapshot, lists)


def test_the_action_that_is_bound_to_an_operation_now_makes_its_writers() -> None:
    custom, free = Action(7, "#7", "visitas:mudar"), Action(8, AUTHENTICATED, AUTHENTICATED)
    roles = {role.id: role for role in (EDITOR, OTHER)}
    rules = [("visits.write", action("visits:write"))]
    for bound, editor, other in ((custom, False, True), (free, False, False)):
        mapping = MappedEndpoint(1, "PUT", "/visits", bound.id, "visits", "visits.write")
        snapshot = make_snapshot(roles=roles, actions={bound.id: bound}, mappings={1: mapping})
        assert Writers(rules).include(make_caller(roles=["editor"]), snapshot, {}) is editor
        assert Writers(rules).include(make_caller(roles=["other"]), snapshot, {}) is other
