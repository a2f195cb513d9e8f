"""Anonymisation requests in the CRM. The CRM processes a request and reports its completion with an event."""

import re
from dataclasses import dataclass, field

from balcao.core.values.cpf import Cpf
from balcao.crm.client import Account, CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway
from balcao.crm.fields import Record
from balcao.crm.objects import ERASURE
from balcao.crm.queries import Query, make_misdirected

OPEN = "enfileirado"
_OWNER = "CPF__c"
_FIELDS = ("Id", "Name", _OWNER, "Status__c", "CreatedDate", "DataConclusao__c")
_NUMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")  # queries contain numbers and ids without escaping
_ID = re.compile(r"[A-Za-z0-9]{15,18}")


@dataclass(frozen=True, slots=True)
class AnonymisationRequest:
    """An anonymisation request. `cpf` is None if the record has no valid CPF.

    The times are strings, as the CRM sent them.
    """

    number: str
    cpf: Cpf | None = field(repr=False)
    status: str
    filed: str
    completed: str | None


def query_open(cpf: Cpf) -> Query:
    """Return the query for the person's oldest open request."""
    also = f"Status__c = '{OPEN}'"
    return Query.of_people(ERASURE, _OWNER, [cpf], _FIELDS, also=also, rest="ORDER BY CreatedDate LIMIT 1")


async def find_request(crm: CrmClient, number: str, deadline: Deadline) -> AnonymisationRequest | None:
    """Return a request, or None if the number is not valid or the CRM has no such request.

    Raises the same errors as the client, and CrmAway if the response contains another request.
    """
    if not _NUMBER.fullmatch(number):
        return None
    text = f"SELECT {', '.join(_FIELDS)} FROM {ERASURE} WHERE Name = '{number}' LIMIT 1"  # noqa: S608 - checked
    (found,) = await crm.select(deadline, Query(text))
    request = to_request(found[0]) if found else None
    if request is not None and request.number != number:
        raise make_misdirected()
    return request


async def file_request(crm: CrmClient, cpf: Cpf, account: Account, deadline: Deadline) -> AnonymisationRequest:
    """File a request and return it with its number. Raises CrmAway if the CRM does not return the request."""
    response = await crm.write("POST", (ERASURE,), {"Conta__c": account.id, "CPF__c": cpf.digits}, deadline)
    record_id = response.json.get("id") if isinstance(response.json, dict) else None
    if not isinstance(record_id, str) or not _ID.fullmatch(record_id):
        raise CrmAway
    (found,) = await crm.select(deadline, Query.of_people(ERASURE, _OWNER, [cpf], _FIELDS, also=f"Id = '{record_id}'"))
    if not found:
        raise CrmAway
    return to_request(found[0])


def to_request(record: Record) -> AnonymisationRequest:
    """Convert a CRM record to a request."""
    return AnonymisationRequest(
        number=str(record.get("Name") or ""),
        cpf=Cpf.parse(record.get(_OWNER)),
        status=str(record.get("Status__c") or ""),
        filed=str(record.get("CreatedDate") or ""),
        completed=str(record["DataConclusao__c"]) if record.get("DataConclusao__c") else None,
    )
