"""The audit trail names a caller as a citizen, a member of staff or a system."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from balcao.core.access.caller import ClaimPolicy, from_claims
from balcao.core.access.rules import Decision, Reason
from balcao.core.access.snapshot import Role, Snapshot
from balcao.core.context.audit import Audit, HashKey
from balcao.core.context.call import Call

KEY = HashKey(b"a key of this test's own", 1)


COUNTER = Role(1, "counter", administrative=False, actions=frozenset({"x:read"}))
SNAPSHOT = Snapshot(roles={1: COUNTER}, roles_by_name={"counter": COUNTER})


def record(decision: Decision, **claims: Any) -> dict[str, Any]:
    policy = ClaimPolicy(machine_clients=frozenset({"portal"}))
    caller = from_claims({"iss": "https://a", "sub": "s", "azp": "portal", "exp": 4e9} | claims, policy)
    platform: Any = SimpleNamespace(catalogue=SimpleNamespace(snapshot=SNAPSHOT))
    call = Call(platform, "test.read", "request", decision, caller)
    event: dict[str, Any]
    [event] = json.loads(Audit(KEY).encode_event(call, "read"))
    return event


def recorded(**claims: Any) -> tuple[Any, Any]:
    event = record(Decision(Reason.GRANTED, "x:read"), **claims)
    return event["actor_kind"], event["actor_hash"]


STAFF = {"cpf": "90000000175", "name": "Luiz Estrela", "realm_access": {"roles": ["counter"]}}
CITIZEN = {"cpf": "90000000175", "name": "Ana", "realm_access": {"roles": ["offline_access"]}}


@pytest.mark.parametrize(
    ("decision", "claims", "kind"),
    [
        (Decision(Reason.GRANTED, "x:read"), STAFF, "staff"),
        (Decision(Reason.OWNER, "self"), STAFF, "owner"),
        (Decision(Reason.AUTHENTICATED, "vehicle_link"), STAFF, "citizen"),
        (Decision(Reason.AUTHENTICATED, "vehicle_link"), CITIZEN, "citizen"),
        (Decision(Reason.AUTHENTICATED, "authenticated"), STAFF, "staff"),
        (Decision(Reason.AUTHENTICATED, "authenticated"), CITIZEN, "citizen"),
        (Decision(Reason.NOT_GRANTED), STAFF, "staff"),
        (Decision(Reason.NOT_GRANTED), CITIZEN, "citizen"),
        (Decision(Reason.SCOPE, "scope:x"), {}, "client"),
    ],
)
def test_an_actor_is_named_as_what_they_are(decision: Decision, claims: dict[str, Any], kind: str) -> None:
    assert record(decision, **claims)["actor_kind"] == kind


def test_the_trail_has_the_name_of_staff_and_of_no_citizen() -> None:
    assert record(Decision(Reason.GRANTED, "x:read"), **STAFF)["actor_name"] == "Luiz Estrela"
    for decision in (Decision(Reason.OWNER, "self"), Decision(Reason.AUTHENTICATED, "vehicle_link")):
        assert record(decision, **STAFF)["actor_name"] is None
    assert record(Decision(Reason.SCOPE, "scope:x"))["actor_name"] is None


def test_a_login_without_cpf_is_recorded_as_a_person_by_issuer_and_subject() -> None:
    kind, who = recorded(sid="x")
    assert kind == "staff"
    assert who is not None
    assert who == recorded(sid="y", azp="app")[1]
    assert len({who, recorded(sid="x", sub="t")[1], recorded(sid="x", iss="https://b")[1]}) == 3


def test_a_person_is_recorded_by_the_cpf_and_a_machine_by_its_client() -> None:
    assert recorded(cpf="90000000175")[0] == "staff"
    assert recorded(cpf="90000000175")[1] == recorded(cpf="90000000175", sub="t")[1]
    assert recorded() == ("client", None)
