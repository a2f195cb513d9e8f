"""Requests for anonymisation that are filed in the CRM: it does the work and tells of its end by an event."""

import re
from dataclasses import dataclass, field

from balcao.core.values.cpf import Cpf
from balcao.crm.client import Account, CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway
from balcao.crm.fields import Record

OBJECT = "SolicitacaoAnonimizacao__c"
OPEN = "enfileirado"
_FIELDS = "Id, Name, CPF__c, Status__c, CreatedDate, DataConclusao__c"
_NUMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")  # both stand in queries
_ID = re.compile(r"[A-Za-z0-9]{15,18}")


@dataclass(frozen=True, slots=True)
class AnonymisationRequest:
    """`cpf` is None when the CRM names nobody. The moments are the CRM's own text."""

    number: str
    cpf: Cpf | None = field(repr=False)
    status: str
    filed: str
    completed: str | None


def open_of(cpf: Cpf) -> str:
    """The query for a person's requests that wait, the oldest first."""
    waiting = f"CPF__c = '{cpf.digits}' AND Status__c = '{OPEN}'"
    return f"SELECT {_FIELDS} FROM {OBJECT} WHERE {waiting} ORDER BY CreatedDate LIMIT 1"  # noqa: S608


async def find(crm: CrmClient, number: str, deadline: Deadline) -> AnonymisationRequest | None:
    """None for a number that the CRM cannot have given, or does not know."""
    if not _NUMBER.fullmatch(number):
        return None
    (found,) = await crm.select(deadline, f"SELECT {_FIELDS} FROM {OBJECT} WHERE Name = '{number}' LIMIT 1")  # noqa: S608
    return read(found[0]) if found else None


async def file(crm: CrmClient, cpf: Cpf, account: Account, deadline: Deadline) -> AnonymisationRequest:
    """Files a request and reads what number it got."""
    answer = await crm.write("POST", (OBJECT,), {"Conta__c": account.id, "CPF__c": cpf.digits}, deadline)
    record_id = answer.json.get("id") if isinstance(answer.json, dict) else None
    if not isinstance(record_id, str) or not _ID.fullmatch(record_id):
        raise CrmAway
    (found,) = await crm.select(deadline, f"SELECT {_FIELDS} FROM {OBJECT} WHERE Id = '{record_id}' LIMIT 1")  # noqa: S608
    if not found:
        raise CrmAway
    return read(found[0])


def read(record: Record) -> AnonymisationRequest:
    return AnonymisationRequest(
        number=str(record.get("Name") or ""),
        cpf=Cpf.parse(record.get("CPF__c")),
        status=str(record.get("Status__c") or ""),
        filed=str(record.get("CreatedDate") or ""),
        completed=str(record["DataConclusao__c"]) if record.get("DataConclusao__c") else None,
    )
