"""Read many people's data from the CRM, and find records that changed since a given time.

The reconciliation uses both.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from balcao.core.values.cpf import Cpf
from balcao.crm.client import CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway
from balcao.crm.fields import Record, pick_known
from balcao.crm.objects import ACCOUNT, CONSENT, ERASURE
from balcao.crm.queries import Query
from balcao.crm.related import MAX_RECORDS

# The CRM objects to search for changes, in this order. Consents and anonymisation requests are separate objects, so
# changing one of them does not change the account.
Source = Literal["accounts", "consents", "requests"]
SOURCES: Sequence[Source] = get_args(Source)
PAGE = 50

_CHANGED = "LastModifiedDate"
_ID = re.compile(r"[A-Za-z0-9]{15}([A-Za-z0-9]{3})?")
_FROM: Mapping[Source, str] = {
    "accounts": f"{ACCOUNT} WHERE IsPersonAccount = true AND",
    "consents": f"{CONSENT} WHERE",
    "requests": f"{ERASURE} WHERE Status__c = 'concluido' AND",
}
_OWNER: Mapping[Source, str] = {"consents": "CPF__c", "requests": "CPF__c"}


@dataclass(frozen=True, slots=True)
class Consent:
    """A consent, under our keys. `changed` is the time of its last change, as the CRM sent it."""

    changed: str
    entry: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Person:
    """A person's mirrored data. Each `changed` is the time of the last change, as the CRM sent it.

    `dados` contains every mirrored key, with null for missing values, or is None if the person has no account.
    `anonymised` lists the completion times of the person's anonymisation requests.
    """

    cpf: Cpf
    changed: str
    dados: Mapping[str, Any] | None
    consents: Sequence[Consent]
    anonymised: Sequence[str]


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed record. `cpf` is None if the record has no valid CPF.

    `changed` is the time of the change, as the CRM sent it.
    """

    id: str
    cpf: Cpf | None
    changed: str


async def find_changed(
    crm: CrmClient, source: Source, since: datetime, after: str, deadline: Deadline
) -> list[Changed]:
    """Return a page of the records that changed at or after `since`, oldest first.

    The last page has fewer than `PAGE` records. `after` is the id of the last record already read with the time
    `since`, or an empty string for the first page. Paging by id is necessary because the CRM stores whole seconds, so
    thousands of records may have the same time, and its OFFSET is limited to 2,000.
    """
    owner = _OWNER.get(source, crm.fields.account["cpf"])
    moment = since.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if after:
        wanted = f"({_CHANGED} > {moment} OR ({_CHANGED} = {moment} AND Id > '{after}'))"
    else:
        wanted = f"{_CHANGED} >= {moment}"
    query = (
        f"SELECT Id, {owner}, {_CHANGED} FROM {_FROM[source]} {wanted} "  # noqa: S608 - checked names and ids only
        f"ORDER BY {_CHANGED} ASC, Id ASC LIMIT {PAGE}"
    )
    (records,) = await crm.select(deadline, Query(query))
    return [Changed(_read_id(record), Cpf.parse(record.get(owner)), _read_changed(record)) for record in records]


async def read_people(crm: CrmClient, people: Sequence[Cpf], deadline: Deadline) -> list[Person]:
    """Return each person's data from the CRM, in the order of `people`.

    If a person has several accounts, use the oldest.

    Raises the exceptions of the client. A response with the maximum number of records that the CRM returns also raises
    CrmAway, because it may be incomplete, and missing records would count as deleted.
    """
    accounts, consents, requests = await crm.select(deadline, *_build_queries(crm, people))
    if max(len(accounts), len(consents), len(requests)) >= MAX_RECORDS:
        raise CrmAway("TOO_MANY_RECORDS")
    own_account = _group(crm.fields.account["cpf"], people, accounts)
    own_consents, own_requests = (_group("CPF__c", people, records) for records in (consents, requests))
    return [_build(crm, cpf, own_account[cpf], own_consents[cpf], own_requests[cpf]) for cpf in people]


def _build_queries(crm: CrmClient, people: Sequence[Cpf]) -> list[Query]:
    """Return the queries for accounts, consents and requests."""
    listed = (
        (ACCOUNT, crm.fields.account["cpf"], crm.fields.account_fields, "IsPersonAccount = true", "CreatedDate ASC"),
        (CONSENT, "CPF__c", crm.fields.consent_fields, "", "Chave__c"),
        (ERASURE, "CPF__c", ["DataConclusao__c"], "Status__c = 'concluido'", "CreatedDate ASC"),
    )
    return [
        Query.of_people(
            entity, owner, people, [*fields, _CHANGED], also=also, rest=f"ORDER BY {order} LIMIT {MAX_RECORDS}"
        )
        for entity, owner, fields, also, order in listed
    ]


def _group(field: str, people: Iterable[Cpf], records: Iterable[Record]) -> dict[Cpf, list[Record]]:
    found: dict[Cpf, list[Record]] = {cpf: [] for cpf in people}
    for record in records:
        found[Cpf(record[field])].append(record)
    return found


def _build(
    crm: CrmClient, cpf: Cpf, accounts: Sequence[Record], consents: Sequence[Record], requests: Sequence[Record]
) -> Person:
    account = accounts[0] if accounts else None
    return Person(
        cpf,
        _read_changed(account) if account else "",
        crm.fields.to_dados(account) if account else None,
        [Consent(_read_changed(record), pick_known(crm.fields.consent, record)) for record in consents],
        [str(record["DataConclusao__c"]) for record in requests if record.get("DataConclusao__c")],
    )


def _read_id(record: Record) -> str:
    """Return a record's id. Raises CrmAway if it is not valid, because the id becomes part of the next query."""
    found = record.get("Id")
    if not isinstance(found, str) or not _ID.fullmatch(found):
        raise CrmAway
    return found


def _read_changed(record: Record) -> str:
    """Return the time of a record's last change. Raises CrmAway if the time is missing."""
    changed = record.get(_CHANGED)
    if not isinstance(changed, str):
        raise CrmAway
    return changed
