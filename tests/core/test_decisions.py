"""Access decisions are compared with a slow reference implementation of the rules (rules: access 3.5, 4.1)."""

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.access.mappings.patterns import erase_parameter_names
from balcao.core.access.caller import Caller
from balcao.core.access.decisions import decide_match
from balcao.core.access.membership_index import Membership
from balcao.core.access.snapshot import EMPTY, Action, Changes, Group, MappedEndpoint, Role, Snapshot
from balcao.core.values.cpf import Cpf
from tests.support.proof_sizes import EXAMPLES, size

ANA, BRUNO, CARLA = Cpf("90000000175"), Cpf("90000000256"), Cpf("90000000337")
Request = tuple[str, str]
LISTS = {"PORTALS": frozenset({"portal"}), "CRM_WEBHOOK_CLIENTS": frozenset({"crm"})}
KEYS = ["platform:public", "platform:authenticated", "platform:machine", "pets:read", "pets:write", "#6"]
ACTIONS = {number: Action(number, key, key) for number, key in enumerate(KEYS, 1)}
GUARDS = [None, "self", "scope:s", "self scope:s client:PORTALS", "client:CRM_WEBHOOK_CLIENTS", "client:UNKNOWN"]

numbers = st.integers(1, 5)
# These patterns are chosen by hand, because random patterns would rarely match the same paths.
PATTERNS = ["/**", "/a", "/{cpf}", "/a/**", "/a/b", "/a/{cpf}", "/*/b", "/*/{cpf}", "/{x}/**", "/a/*/b", "/a/b/**"]
patterns = st.sampled_from(PATTERNS)


def some(kinds: Any) -> Any:
    """Return a strategy that generates changed items by id. None deletes the item."""
    return st.dictionaries(numbers, st.none() | kinds, min_size=2, max_size=5)


METHODS = ["GET", "GET", "GET", "HEAD", "POST"]
endpoints = st.tuples(st.sampled_from(METHODS), patterns, st.sampled_from(list(ACTIONS)), st.sampled_from(GUARDS))
roles = st.tuples(st.booleans(), st.frozensets(st.sampled_from(KEYS)))
memberships = st.builds(
    lambda groups, given: Membership(tuple(sorted(groups)), tuple(sorted(given))), st.sets(numbers), st.sets(numbers)
)
people = st.dictionaries(st.sampled_from([ANA.digits, BRUNO.digits]), memberships)
versions = st.tuples(some(endpoints), some(roles), some(st.sets(numbers)), people)
callers = st.builds(
    lambda cpf, azp, scopes, names, logged_in: Caller(
        "sub", azp, cpf, None, None, scopes, names, 0.0, is_machine=cpf is None and not logged_in
    ),
    st.sampled_from([ANA, BRUNO, CARLA, None]),
    st.sampled_from(["portal", "crm", ""]),
    st.frozensets(st.sampled_from(["s", "t"])),
    st.frozensets(st.sampled_from(["role1", "role2", "offline_access"])),
    st.booleans(),
)
WORDS = ["a", "a", "a", "b", "b", ANA.digits, ANA.digits, "%61", "..", "", "a%2Fb"]
paths = st.lists(st.sampled_from(WORDS), max_size=3).map(lambda parts: "/" + "/".join(parts))
requests = st.tuples(st.sampled_from([*METHODS, "PUT"]), paths)


class Reference:
    """A reference implementation that searches plain tables linearly."""

    def __init__(self) -> None:
        self.mappings: dict[int, Any] = {}
        self.roles: dict[int, Any] = {}
        self.groups: dict[int, Any] = {}
        self.people: dict[str, Membership] = {}

    def change(self, mappings: Any, changed_roles: Any, groups: Any, held: Any) -> Changes:
        """Apply the change, and return it as the database would send it.

        If two mappings would have the same shape, no mapping is changed.
        """
        wanted = {**self.mappings, **mappings}
        shapes = [(one[0], erase_parameter_names(one[1])) for one in wanted.values() if one]
        if len(set(shapes)) < len(shapes):
            mappings = {}
        for table, changed in ((self.mappings, mappings), (self.roles, changed_roles), (self.groups, groups)):
            table.update(changed)
        self.people.update(held)
        document = {
            "version": 1,
            "position": 0,
            "whole": False,
            "actions": {} if EMPTY.actions else ACTIONS,
            "mappings": {
                item: one and MappedEndpoint(item, one[0], one[1], one[2], guard=one[3])
                for item, one in mappings.items()
            },
            "roles": {item: one and Role(item, f"role{item}", *one) for item, one in changed_roles.items()},
            "groups": {item: None if one is None else Group(item, "", tuple(one), {}) for item, one in groups.items()},
            "people": held,
        }
        return msgspec.json.decode(msgspec.json.encode(document), type=Changes)

    def find(self, method: str, path: str) -> Any:
        """Return the mapping that decides. Find it with regular expressions, in the order of rules 3.5."""
        path = path.replace("%61", "a")
        if "%2F" in path or "//" in path or "/.." in path:
            return None
        path = path.removesuffix("/")
        for wanted in [method, *(["GET"] if method == "HEAD" else [])]:
            matching = [
                (self._rank(one[1]), one)
                for one in self.mappings.values()
                if one and one[0] == wanted and re.fullmatch(self._expression(one[1]), path)
            ]
            if matching:
                return min(matching, key=lambda found: found[0])[1]
        return None

    @staticmethod
    def _expression(pattern: str) -> str:
        parts = ["(/.*)?" if part == "**" else f"/{part if part.isalpha() else '[^/]+'}" for part in pattern.split("/")]
        return "".join(parts[1:])

    @staticmethod
    def _rank(pattern: str) -> list[int]:
        return [2 if part == "**" else 0 if part.isalpha() else 1 for part in pattern.split("/")[1:]]

    def decide(self, request: Request, who: Caller) -> tuple[str, str]:
        """Return the pattern that decides, and the reason for the decision."""
        found = self.find(*request)
        return ("", "no_mapping") if found is None else (found[1], self._decide(found, request[1], who))

    def _decide(self, found: Any, path: str, who: Caller) -> str:
        _, pattern, action, guard = found
        key, guards = KEYS[action - 1], (guard or "").split()
        if key == "platform:public":
            return "public"
        named = dict(zip(pattern.split("/"), path.replace("%61", "a").split("/"), strict=False))
        if "self" in guards and who.cpf is not None and named.get("{cpf}") == who.cpf.digits:
            return "owner"
        if who.client == "crm" and "client:CRM_WEBHOOK_CLIENTS" in guards:
            return "client"
        if who.is_machine and who.client == "portal" and "client:PORTALS" in guards:
            return "client"
        if who.is_machine and "scope:s" in guards and "s" in who.scopes:
            return "scope"
        if key == "platform:authenticated" and (who.cpf is not None or "scope:s" not in guards):
            return "authenticated"
        held = self.people.get(who.cpf.digits, Membership()) if who.cpf else Membership()
        ids = {*held.roles, *(role for group in held.groups for role in self.groups.get(group) or ())}
        ids |= {item for item in self.roles if f"role{item}" in who.roles}
        grants = any(self.roles[item][0] or key in self.roles[item][1] for item in ids if self.roles.get(item))
        return "granted" if grants and key != "platform:machine" else "not_granted"


def decide_in_process(snapshot: Snapshot, request: Request, who: Caller) -> tuple[str, str]:
    match = snapshot.match(*request)
    if match is None:
        return "", "no_mapping"
    return match.mapping.path_pattern, decide_match(match, who, snapshot, LISTS).reason.value


@settings(max_examples=size(80, EXAMPLES))
@given(
    history=st.lists(versions, min_size=1, max_size=4),
    asked=st.lists(st.tuples(requests, callers), min_size=4, max_size=12),
)
def test_the_decision_equals_a_slow_one_after_every_change(history: Any, asked: Any) -> None:
    snapshot, reference, older = EMPTY, Reference(), []
    for version in history:
        snapshot = snapshot.following(reference.change(*version))
        decided = [decide_in_process(snapshot, request, who) for request, who in asked]
        assert decided == [reference.decide(request, who) for request, who in asked]
        older.append((snapshot, decided))
    for version_then, decided in older:  # a request in flight keeps its snapshot
        assert [decide_in_process(version_then, request, who) for request, who in asked] == decided


@pytest.mark.parametrize(
    ("pattern", "cpf", "reason"),
    [
        ("/a/{cpf}", ANA, "owner"),
        ("/a/{cpf}", BRUNO, "not_granted"),
        ("/a/{cpf}", None, "not_granted"),
        ("/a/{citizen}", ANA, "not_granted"),
        ("/a/*", ANA, "not_granted"),
    ],
)
def test_a_path_is_its_owners_where_it_names_their_cpf_as_such(pattern: str, cpf: Cpf | None, reason: str) -> None:
    snapshot = EMPTY.following(Reference().change({1: ("GET", pattern, 4, "self")}, {}, {}, {}))
    who = Caller("sub", "portal", cpf, None, None, frozenset(), frozenset(), 0.0, is_machine=cpf is None)
    assert decide_in_process(snapshot, ("GET", f"/a/{ANA.digits}"), who) == (pattern, reason)
