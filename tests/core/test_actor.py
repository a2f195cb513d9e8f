"""As whom the audit trail knows a caller."""

import json
from typing import Any

from balcao.core.access.caller import ClaimPolicy, from_claims
from balcao.core.access.rules import Decision, Reason
from balcao.core.context.audit import Audit, HashKey
from balcao.core.context.call import Call

KEY = HashKey(b"a key of this test's own", 1)


def recorded(**claims: Any) -> tuple[Any, Any]:
    policy = ClaimPolicy(machine_clients=frozenset({"portal"}))
    caller = from_claims({"iss": "https://a", "sub": "s", "azp": "portal", "exp": 4e9} | claims, policy)
    platform: Any = None
    call = Call(platform, "test.read", "request", Decision(Reason.GRANTED, "x:read"), caller)
    [event] = json.loads(Audit(KEY).encode_event(call, "read"))
    return event["actor_kind"], event["actor_hash"]


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
