"""What the catalogue's audit trail says of a change or of a refused one (rules: access 3.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from balcao.core.context.call import OPERATOR, Call
from balcao.core.database.statements import Statement
from balcao.core.values.cpf import Cpf
from balcao.core.values.personal_data import mask_personal_data

# What a plan writes of a kind: a row each, by the names of their columns.
Rows: TypeAlias = Sequence[Mapping[str, Any]]
# A statement that writes them: it takes the rows as JSON, and who creates those that are new.
PlannedStatement: TypeAlias = Statement[[str, str | None], None]
SYSTEM = {"sub": "system", "azp": "", "cpf": None, "display_name": "system"}


@dataclass(frozen=True)
class CatalogueEvent:
    """`operation` as `action.update`; `identity` is the target's id as text; `subject` the person concerned."""

    operation: str
    kind: str
    identity: str | None = None
    name: str | None = None
    subject: Cpf | None = None
    before: Any = None
    after: Any = None

    def to_document(self, actor: Any, request_id: str, subject: Any = None) -> dict[str, Any]:
        """Return the event as the chain stores it, without personal data in descriptions of before."""
        return {
            "actor": actor,
            "operation": self.operation,
            "target_type": self.kind,
            "target_id": self.identity,
            "target_name": self.name,
            "subject": subject,
            "before": _mask_descriptions(self.before),
            "after": _mask_descriptions(self.after),
            "request_id": request_id,
        }

    def describe_for(self, call: Call) -> dict[str, Any]:
        """Return the document with the call's actor; people enter as keyed hash and masked CPF only."""
        return self.to_document(_describe_actor(call), call.request_id, describe_person(call, self.subject))


def _mask_descriptions(value: Any) -> Any:
    """Return what the event says of a record: names decide on access, and are checked when they are written."""
    if isinstance(value, list):
        return [_mask_descriptions(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    return {
        name: mask_personal_data(each) if name == "description" and isinstance(each, str) else _mask_descriptions(each)
        for name, each in value.items()
    }


def _describe_actor(call: Call) -> dict[str, Any]:
    if call.caller is None:
        return {"sub": OPERATOR, "azp": "", "cpf": None, "display_name": OPERATOR}
    cpf, subject = call.caller.cpf, call.caller.subject
    if cpf is not None:  # some providers make the claim `sub` of the person's number
        subject = subject.replace(cpf.digits, cpf.masked)
    subject = mask_personal_data(subject)
    person = describe_person(call, cpf) or {"cpf": None}
    return {"sub": subject, "azp": call.client, "display_name": call.caller.display_name, **person}


def describe_person(call: Call, cpf: Cpf | None) -> dict[str, Any] | None:
    """Return a person as the chain knows them: masked CPF and keyed hash."""
    key = call.platform.audit.key
    hashed = key.hash_cpf(cpf)
    if cpf is None or hashed is None:
        return None
    return {"cpf": cpf.masked, "hash": hashed.hex(), "key_number": key.number}


def mask_author(call: Call) -> str | None:
    """Return who made a row, as it is stored beside it: the masked CPF; None for a machine or the operator."""
    return call.actor_cpf.masked if call.actor_cpf else None
