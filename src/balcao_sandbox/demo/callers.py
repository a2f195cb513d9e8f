"""Calls on behalf of demo people, so that the demo data shows who did what."""

from balcao.core.access.caller import Caller
from balcao.core.access.rules import Decision
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao_sandbox.identity.demo import people


def act_as(platform: Platform, cpf: Cpf, operation: str, decision: Decision, client: str = "demo") -> Call:
    """Return a demo person's call, as if the person had logged in through the client."""
    person = next(person for person in people() if person.cpf == cpf.digits)
    caller = Caller(
        subject=f"demo-{person.username}",
        client=client,
        cpf=cpf,
        name=person.name,
        email=None,
        scopes=frozenset(),
        roles=frozenset(),
        expires_at=float("inf"),
    )
    return Call(platform, operation, new_id(), decision, caller)
