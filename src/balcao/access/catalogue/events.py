"""What the catalogue's audit trail says of a change or of a refused one (rules: access 3.4)."""

from dataclasses import dataclass
from typing import Any

from balcao.core.context.call import OPERATOR, Call
from balcao.core.values.cpf import Cpf

SYSTEM = {"sub": "system", "azp": "", "cpf": None, "display_name": "system"}


@dataclass(frozen=True)
class Event:
    """`operation` as `action.update`; `identity` is the target's id as text; `subject` the person concerned."""

    operation: str
    kind: str
    identity: str | None = None
    name: str | None = None
    subject: Cpf | None = None
    before: Any = None
    after: Any = None

    def document(self, actor: Any, request_id: str, subject: Any = None) -> dict[str, Any]:
        return {
            "actor": actor,
            "operation": self.operation,
            "target_type": self.kind,
            "target_id": self.identity,
            "target_name": self.name,
            "subject": subject,
            "before": self.before,
            "after": self.after,
            "request_id": request_id,
        }

    def of(self, call: Call) -> dict[str, Any]:
        """The document with the call's actor; people enter as keyed hash and masked CPF only."""
        return self.document(_actor(call), call.request_id, _person(call, self.subject))


def _actor(call: Call) -> dict[str, Any]:
    if call.caller is None:
        return {"sub": OPERATOR, "azp": "", "cpf": None, "display_name": OPERATOR}
    cpf, subject = call.caller.cpf, call.caller.subject
    if cpf is not None:  # some providers make the claim `sub` of the person's number
        subject = subject.replace(cpf.digits, cpf.masked)
    person = _person(call, cpf) or {"cpf": None}
    return {"sub": subject, "azp": call.client, "display_name": call.caller.display_name, **person}


def _person(call: Call, cpf: Cpf | None) -> dict[str, Any] | None:
    key = call.platform.audit.key
    hashed = key.hash_cpf(cpf)
    if cpf is None or hashed is None:
        return None
    return {"cpf": cpf.masked, "hash": hashed.hex(), "key_number": key.number}


def author(call: Call) -> str | None:
    """Who made a row, as it is kept beside it: the masked CPF; nothing for a machine or the operator."""
    return call.actor_cpf.masked if call.actor_cpf else None
