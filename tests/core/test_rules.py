"""The access decision (rules: access 4.1) is checked with a table of cases and compared with a model of the rules."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.access.caller import Caller
from balcao.core.access.membership_index import Membership
from balcao.core.access.rules import (
    AUTHENTICATED,
    MACHINE,
    WEBHOOK_CLIENTS,
    Decision,
    Reason,
    Rule,
    action,
    authenticated,
    client,
    decide,
    own,
    own_only,
    public,
    scope,
)
from balcao.core.access.snapshot import EMPTY, Changes, Group, Role
from balcao.core.values.cpf import Cpf
from tests.support.proof_sizes import EXAMPLES, size

ANA, BRUNO = Cpf("90000000175"), Cpf("90000000256")
LISTS = {
    "CRM_WEBHOOK_CLIENTS": frozenset({"crm"}),
    "LISTED": frozenset({"crm"}),
    "OTHERS": frozenset({"agents", "portal"}),
}
ROLES = {
    "admin": Role(1, "admin", administrative=True, actions=frozenset()),
    "reader": Role(2, "reader", administrative=False, actions=frozenset({"pets:read"})),
    "keeper": Role(3, "keeper", administrative=False, actions=frozenset({"pets:read", "pets:write"})),
    "nothing": Role(4, "nothing", administrative=False, actions=frozenset()),
}
STORED = {ANA.digits: ["reader"], BRUNO.digits: ["nothing"]}
SNAPSHOT = EMPTY.following(
    Changes(
        version=7,
        position=0,
        whole=True,
        actions={},
        mappings={},
        roles={role.id: role for role in ROLES.values()},
        groups={1: Group(1, "readers", (2,), {})},
        people={ANA.digits: Membership(groups=(1,)), BRUNO.digits: Membership(groups=(9,), roles=(4, 99))},
    )
)


def caller(
    cpf: Cpf | None = None, azp: str = "portal", scopes: Any = (), roles: Any = (), *, logged_in: bool = False
) -> Caller:
    """Return a person if `cpf` is given, a login without CPF if `logged_in`, and otherwise a machine."""
    machine = cpf is None and not logged_in
    return Caller("sub", azp, cpf, None, None, frozenset(scopes), frozenset(roles), 0.0, is_machine=machine)


def outcome(rule: Rule, who: Caller, owner: Cpf | None = None, bound: str | None = None) -> tuple[Reason, str]:
    decision = decide(rule, bound or rule.action, who, owner, SNAPSHOT, LISTS)
    return decision.reason, decision.grant


NO = (Reason.NOT_GRANTED, "")
OWNER = (Reason.OWNER, "self")
WEBHOOK = (Reason.CLIENT, "client:CRM_WEBHOOK_CLIENTS")
GRANTED = (Reason.GRANTED, "pets:read")
PERSON, MACHINE_CALLER, LOGIN = caller(BRUNO), caller(None), caller(None, logged_in=True)


@pytest.mark.parametrize(
    ("rule", "who", "owner", "bound", "expected"),
    [
        (own("pets:read"), PERSON, BRUNO, None, OWNER),
        (own("pets:read"), PERSON, ANA, None, NO),
        (own("pets:read"), PERSON, None, None, NO),
        (own("pets:read"), MACHINE_CALLER, None, None, NO),
        (own("pets:read"), caller(ANA), BRUNO, None, (Reason.GRANTED, "pets:read")),
        (own("pets:write"), caller(ANA), BRUNO, None, NO),
        (own("pets:write"), caller(ANA, roles=["keeper"]), BRUNO, None, (Reason.GRANTED, "pets:write")),
        (own("pets:write"), caller(None, roles=["keeper"]), BRUNO, None, (Reason.GRANTED, "pets:write")),
        (own_only(), PERSON, BRUNO, None, OWNER),
        (own_only(), caller(ANA, roles=["admin"]), BRUNO, None, NO),
        (action("pets:write"), caller(BRUNO, roles=["admin"]), None, None, (Reason.GRANTED, "pets:write")),
        (action("pets:write"), caller(BRUNO, roles=["unknown", "nothing"]), None, None, NO),
        (action("pets:write"), caller(ANA), ANA, None, NO),
        (action("pets:write"), caller(ANA), None, "pets:read", (Reason.GRANTED, "pets:read")),
        (action("pets:read"), caller(ANA), None, "pets:write", NO),
        (authenticated(), MACHINE_CALLER, None, None, (Reason.AUTHENTICATED, "authenticated")),
        (authenticated() | scope("s"), MACHINE_CALLER, None, None, NO),
        (authenticated() | scope("s"), caller(None, scopes=["s"]), None, None, (Reason.SCOPE, "scope:s")),
        (authenticated() | scope("s"), PERSON, None, None, (Reason.AUTHENTICATED, "authenticated")),
        (authenticated() | scope("s"), caller(None, roles=["admin"]), None, None, (Reason.GRANTED, AUTHENTICATED)),
        (scope("s", "t"), caller(None, scopes=["t"]), None, None, (Reason.SCOPE, "scope:t")),
        (scope("s"), caller(BRUNO, scopes=["s"], roles=["admin"]), None, None, NO),
        (client("LISTED"), caller(None, azp="crm"), None, None, (Reason.CLIENT, "client:LISTED")),
        (client("LISTED"), caller(BRUNO, azp="crm"), None, None, NO),
        (client("LISTED"), caller(None, azp="crm", logged_in=True), None, None, NO),
        (client(WEBHOOK_CLIENTS), caller(BRUNO, azp="crm"), None, None, WEBHOOK),
        (client(WEBHOOK_CLIENTS), caller(None, azp="crm", logged_in=True), None, None, WEBHOOK),
        (client(WEBHOOK_CLIENTS), MACHINE_CALLER, None, None, NO),
        (scope("s"), caller(None, scopes=["s"], logged_in=True), None, None, NO),
        (authenticated() | scope("s"), caller(None, scopes=["s"], logged_in=True), None, None, NO),
        (authenticated(), LOGIN, None, None, (Reason.AUTHENTICATED, "authenticated")),
        (own("pets:read"), LOGIN, BRUNO, None, NO),
        (own("pets:read"), caller(None, roles=["reader"], logged_in=True), BRUNO, None, GRANTED),
        (client("LISTED"), caller(None, azp="", roles=["admin"]), None, None, NO),
        (
            action("pets:write") | client("LISTED"),
            caller(None, azp="crm"),
            None,
            None,
            (Reason.CLIENT, "client:LISTED"),
        ),
        (action("pets:write"), PERSON, None, AUTHENTICATED, (Reason.AUTHENTICATED, "authenticated")),
    ],
)
def test_who_passes_and_by_what(
    rule: Rule, who: Caller, owner: Cpf | None, bound: str | None, expected: tuple[Reason, str]
) -> None:
    assert outcome(rule, who, owner, bound) == expected


def model(rule: Rule, bound: str, who: Caller, owner: Cpf | None) -> str:
    """Decide by steps 5 to 9 of the rules' table."""
    if rule.owner and owner is not None and who.cpf == owner:
        return "owner"
    if any(who.client in LISTS[name] for name in rule.clients if who.is_machine or name == "CRM_WEBHOOK_CLIENTS"):
        return "client"
    if who.is_machine and set(rule.scopes) & who.scopes:
        return "scope"
    if bound == AUTHENTICATED and (not rule.scopes or who.cpf is not None):
        return "authenticated"
    stored = STORED[who.cpf.digits] if who.cpf else []
    known = [ROLES[name] for name in {*who.roles, *stored} if name in ROLES]
    if bound != MACHINE and any(role.administrative or bound in role.actions for role in known):
        return "granted"
    return "not_granted"


cpfs = st.sampled_from([None, ANA, BRUNO])
subsets = {
    "scopes": st.sets(st.sampled_from(["s", "t", "u"])),
    "roles": st.sets(st.sampled_from([*ROLES, "offline_access", "pets:read"])),
}
callers = st.builds(
    caller,
    cpfs,
    st.sampled_from(["crm", "portal", "agents", "", "LISTED"]),
    subsets["scopes"],
    subsets["roles"],
    logged_in=st.booleans(),
)
rules = st.builds(
    Rule,
    st.sampled_from(["pets:read", "pets:write", AUTHENTICATED, MACHINE]),
    st.booleans(),
    st.sets(st.sampled_from(["s", "t"])).map(tuple),
    st.sets(st.sampled_from(["LISTED", "OTHERS", WEBHOOK_CLIENTS])).map(tuple),
)
bindings = st.sampled_from(["pets:read", "pets:write", "#12", AUTHENTICATED, MACHINE])


@settings(max_examples=size(300, 20_000))
@given(rule=rules, bound=bindings, who=callers, owner=cpfs)
def test_every_decision_is_the_documents(rule: Rule, bound: str, who: Caller, owner: Cpf | None) -> None:
    decision: Decision = decide(rule, bound, who, owner, SNAPSHOT, LISTS)
    assert decision.reason == model(rule, bound, who, owner)
    assert decision.allowed == (decision.reason is not Reason.NOT_GRANTED)
    assert bool(decision.grant) == decision.allowed


@settings(max_examples=EXAMPLES)
@given(rule=rules, bound=bindings, who=callers, owner=cpfs, more=subsets["roles"])
def test_another_role_never_takes_a_right_away(
    rule: Rule, bound: str, who: Caller, owner: Cpf | None, more: Any
) -> None:
    richer = replace(who, roles=who.roles | more)
    if decide(rule, bound, who, owner, SNAPSHOT, LISTS).allowed:
        assert decide(rule, bound, richer, owner, SNAPSHOT, LISTS).allowed


@pytest.mark.parametrize(
    ("rule", "written", "guard", "floor"),
    [
        (public(), "public", None, "public"),
        (authenticated(), "authenticated", None, "authenticated"),
        (authenticated(is_fixed=True), "authenticated", None, "fixed"),
        (own("pets:read"), "self(pets:read)", "self", "action"),
        (action("pets:read"), "action:pets:read", None, "action"),
        (scope("a", "b"), "scope:a or scope:b", "scope:a scope:b", "action"),
        (own("pets:read") | client("LISTED"), "self(pets:read) or client:LISTED", "self client:LISTED", "action"),
        (client("LISTED") | action("pets:read"), "action:pets:read or client:LISTED", "client:LISTED", "action"),
        (authenticated() | scope("a"), "authenticated or scope:a", "scope:a", "authenticated"),
        (scope("a") | authenticated(), "authenticated or scope:a", "scope:a", "authenticated"),
    ],
)
def test_a_rule_says_what_it_is(rule: Rule, written: str, guard: str | None, floor: str) -> None:
    assert (str(rule), rule.guard, rule.floor) == (written, guard, floor)


def test_actions_tested_inside_are_declared_beside_the_rule() -> None:
    assert action("a:b").testing("c:d", "e:f").also == ("c:d", "e:f")


def test_what_declares_a_rule_says_who_passes() -> None:
    assert public() == Rule("platform:public")
    assert authenticated() == Rule("platform:authenticated")
    assert action("pets:read") == Rule("pets:read")
    assert own("pets:read") == Rule("pets:read", owner=True)
    assert own_only() == Rule("platform:machine", owner=True)
    assert scope("a", "b") == Rule("platform:machine", scopes=("a", "b"))
    assert client("LISTED") == Rule("platform:machine", clients=("LISTED",))


@pytest.mark.parametrize(
    ("left", "right", "named"),
    [
        (scope("a"), action("pets:read"), "pets:read"),
        (action("pets:read"), scope("a"), "pets:read"),
        (authenticated(), action("pets:read"), "pets:read"),
        (action("pets:read"), authenticated(), "pets:read"),
        (authenticated(), scope("a"), AUTHENTICATED),
        (scope("a"), authenticated(), AUTHENTICATED),
        (scope("a"), client("LISTED"), MACHINE),
        (public(), scope("a"), "platform:public"),
    ],
    ids=str,
)
def test_of_two_rules_the_one_that_names_an_action_names_it(left: Rule, right: Rule, named: str) -> None:
    assert (left | right).action == named


def test_whoever_passes_either_rule_passes_both_together() -> None:
    left = Rule("pets:read", True, ("a",), ("LISTED",), ("pets:write",))
    right = Rule(MACHINE, False, ("b",), ("OTHERS",), ("pets:drop",))
    both = Rule("pets:read", True, ("a", "b"), ("LISTED", "OTHERS"), ("pets:write", "pets:drop"))
    assert left | right == both
    assert (right | left).owner
    assert (right | left).scopes == ("b", "a")


def test_what_an_operation_tests_inside_is_added_to_its_rule() -> None:
    assert own("a").testing("b").testing("c", "d") == Rule("a", owner=True, also=("b", "c", "d"))


@pytest.mark.parametrize(
    ("rule", "written", "guard", "floor"),
    [
        (public(), "public", None, "public"),
        (authenticated(), "authenticated", None, "authenticated"),
        (action("pets:read"), "action:pets:read", None, "action"),
        (own("pets:read"), "self(pets:read)", "self", "action"),
        (scope("a", "b"), "scope:a or scope:b", "scope:a scope:b", "action"),
        (client("LISTED"), "client:LISTED", "client:LISTED", "action"),
        (own_only(), "self", "self", "action"),
        (own_only() | scope("a"), "self or scope:a", "self scope:a", "action"),
        (
            own("pets:read") | scope("a") | client("LISTED"),
            "self(pets:read) or scope:a or client:LISTED",
            "self scope:a client:LISTED",
            "action",
        ),
    ],
    ids=str,
)
def test_a_rule_is_written_as_in_the_documents(rule: Rule, written: str, guard: str | None, floor: str) -> None:
    assert (str(rule), rule.guard, rule.floor) == (written, guard, floor)


@given(rule=rules)
def test_the_catalogue_gives_a_rule_back_as_it_took_it(rule: Rule) -> None:
    assert Rule.with_guard(rule.action, rule.guard) == rule


def test_only_a_decision_that_says_by_what_right_lets_pass() -> None:
    denying = ["not_granted", "no_mapping", "no_token", "invalid_token", "stale_snapshot"]
    assert [reason for reason in Reason if not Decision(reason).allowed] == denying
