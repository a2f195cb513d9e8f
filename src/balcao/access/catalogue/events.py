"""Events of the catalogue's audit trail, for changes and refused attempts (rules: access 3.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from balcao.core.context.call import OPERATOR, Call
from balcao.core.database.statements import Statement
from balcao.core.values.cpf import Cpf
from balcao.core.values.personal_data import mask_personal_data

# The rows that a plan writes for one kind of change. Each row maps column names to values.
Rows: TypeAlias = Sequence[Mapping[str, Any]]
# A statement that writes a plan's rows. Its arguments are the rows as JSON and the author of the new rows.
PlannedStatement: TypeAlias = Statement[[str, str | None], None]
SYSTEM = {"sub": "system", "azp": "", "cpf": None, "display_name": "system"}


@dataclass(frozen=True)
class CatalogueEvent:
    """An event of the catalogue, for example `action.update`.

    `identity` is the target's id as a string, and `subject` is the affected person.
    """

    operation: str
    kind: str
    identity: str | None = None
    name: str | None = None
    subject: Cpf | None = None
    before: Any = None
    after: Any = None

    def to_document(self, actor: Any, request_id: str, subject: Any = None) -> dict[str, Any]:
        """Return the event in the form that the chain stores, with personal data in descriptions masked."""
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
        """Return the event with the call's actor. CPFs are masked or replaced with a keyed hash."""
        return self.to_document(_describe_actor(call), call.request_id, describe_person(call, self.subject))


def _mask_descriptions(value: Any) -> Any:
    """Return the value with personal data in descriptions masked.

    Names are not masked: decisions depend on them, and they were checked for personal data when they were stored.
    """
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
    if cpf is not None:  # some providers put the CPF into the claim `sub`
        subject = subject.replace(cpf.digits, cpf.masked)
    subject = mask_personal_data(subject)
    person = describe_person(call, cpf) or {"cpf": None}
    return {"sub": subject, "azp": call.client, "display_name": call.caller.display_name, **person}


def describe_person(call: Call, cpf: Cpf | None) -> dict[str, Any] | None:
    """Return the person in the form that the chain stores: masked CPF, keyed hash and key number.

    Return None if there is no CPF.
    """
    key = call.platform.audit.key
    hashed = key.hash_cpf(cpf)
    if cpf is None or hashed is None:
        return None
    return {"cpf": cpf.masked, "hash": hashed.hex(), "key_number": key.number}


def mask_author(call: Call) -> str | None:
    """Return the author to store in a row: the masked CPF, or None for a machine or the operator."""
    return call.actor_cpf.masked if call.actor_cpf else None
