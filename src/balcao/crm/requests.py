"""Requests for anonymisation that are filed in the CRM: it does the work and reports its end by an event."""

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


def format_open_query(cpf: Cpf) -> str:
    """Return the query for a person's requests that wait, the oldest first."""
    waiting = f"CPF__c = '{cpf.digits}' AND Status__c = '{OPEN}'"
    return f"SELECT {_FIELDS} FROM {OBJECT} WHERE {waiting} ORDER BY CreatedDate LIMIT 1"  # noqa: S608


async def find(crm: CrmClient, number: str, deadline: Deadline) -> AnonymisationRequest | None:
    """Return a request; None for a number that the CRM cannot have given, or does not know."""
    if not _NUMBER.fullmatch(number):
        return None
    (found,) = await crm.select(deadline, f"SELECT {_FIELDS} FROM {OBJECT} WHERE Name = '{number}' LIMIT 1")  # noqa: S608
    return to_request(found[0]) if found else None


async def file(crm: CrmClient, cpf: Cpf, account: Account, deadline: Deadline) -> AnonymisationRequest:
    """File a request and read what number it got. Raises CrmAway when the CRM does not tell."""
    response = await crm.write("POST", (OBJECT,), {"Conta__c": account.id, "CPF__c": cpf.digits}, deadline)
    record_id = response.json.get("id") if isinstance(response.json, dict) else None
    if not isinstance(record_id, str) or not _ID.fullmatch(record_id):
        raise CrmAway
    (found,) = await crm.select(deadline, f"SELECT {_FIELDS} FROM {OBJECT} WHERE Id = '{record_id}' LIMIT 1")  # noqa: S608
    if not found:
        raise CrmAway
    return to_request(found[0])


def to_request(record: Record) -> AnonymisationRequest:
    """Return the request that a record of the CRM describes."""
    return AnonymisationRequest(
        number=str(record.get("Name") or ""),
        cpf=Cpf.parse(record.get("CPF__c")),
        status=str(record.get("Status__c") or ""),
        filed=str(record.get("CreatedDate") or ""),
        completed=str(record["DataConclusao__c"]) if record.get("DataConclusao__c") else None,
    )
