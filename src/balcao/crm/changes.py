"""What the CRM has of many people at once, and who has changed there since a moment: for the reconciliation."""

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
from balcao.crm.queries import Query
from balcao.crm.related import MAX_RECORDS

# What is asked for changes, in this order: an account says nothing of its consents, nor of how an anonymisation went.
Source = Literal["accounts", "consents", "requests"]
SOURCES: Sequence[Source] = get_args(Source)
PAGE = 50

_CHANGED = "LastModifiedDate"
_ID = re.compile(r"[A-Za-z0-9]{15}([A-Za-z0-9]{3})?")
_FROM: Mapping[Source, str] = {
    "accounts": "Account WHERE IsPersonAccount = true AND",
    "consents": "Consentimento__c WHERE",
    "requests": "SolicitacaoAnonimizacao__c WHERE Status__c = 'concluido' AND",
}
_OWNER: Mapping[Source, str] = {"consents": "CPF__c", "requests": "CPF__c"}


@dataclass(frozen=True, slots=True)
class Consent:
    """A consent by our keys, with the CRM's own text of when it changed."""

    changed: str
    entry: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Person:
    """All that is mirrored of a person, each part with the CRM's own text of when it changed.

    `dados` has every key, also those that the CRM has no value for; None without an account.
    """

    cpf: Cpf
    changed: str
    dados: Mapping[str, Any] | None
    consents: Sequence[Consent]
    anonymised: Sequence[str]


@dataclass(frozen=True, slots=True)
class Changed:
    """A record that changed: its id, whose it is, and when by the CRM's own text.

    The person is None if the CRM names none.
    """

    id: str
    cpf: Cpf | None
    changed: str


async def find_changed(
    crm: CrmClient, source: Source, since: datetime, after: str, deadline: Deadline
) -> list[Changed]:
    """Return a page of what has changed since then, the oldest first; fewer than `PAGE` at the end.

    `after` is the id of the last record seen of that moment, empty for the first page. The CRM has whole seconds, in
    which thousands of records may have changed, and counts no further than 2,000 by OFFSET.
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
    """Return what the CRM has of each, in their order; of several accounts of a person the oldest counts.

    Raises CrmAway also for more records than the CRM gives at once: what is missing would count as deleted.
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
        ("Account", crm.fields.account["cpf"], crm.fields.account_fields, "IsPersonAccount = true", "CreatedDate ASC"),
        ("Consentimento__c", "CPF__c", crm.fields.consent_fields, "", "Chave__c"),
        ("SolicitacaoAnonimizacao__c", "CPF__c", ["DataConclusao__c"], "Status__c = 'concluido'", "CreatedDate ASC"),
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
    """Return the id of a record. Raises CrmAway for one without an id: it goes into the next query."""
    found = record.get("Id")
    if not isinstance(found, str) or not _ID.fullmatch(found):
        raise CrmAway
    return found


def _read_changed(record: Record) -> str:
    """Return when a record changed. Raises CrmAway for one without a time."""
    changed = record.get(_CHANGED)
    if not isinstance(changed, str):
        raise CrmAway
    return changed
