"""The cases that the platform opens in the CRM for citizens' requests (rules: registry 4.20).

Every write is an upsert by our own key, so repeating it changes nothing. Every read checks that the CRM returned the
requested case.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from balcao.core.values.cpf import Cpf
from balcao.crm.client import CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway
from balcao.crm.fields import Record
from balcao.crm.objects import CASE, CASE_STEP
from balcao.crm.queries import Query, make_misdirected

NUMBER, STEP_KEY = "NumeroPedido__c", "Chave__c"
PAGE = 200
_OWNER, _CHANGED = "CPF__c", "LastModifiedDate"
_FIELDS = ("Id", "CaseNumber", "Status", "Mensagem__c", NUMBER, _OWNER, _CHANGED)
_NUMBER = re.compile(r"[A-Z0-9-]{1,40}")  # queries contain numbers and ids without escaping
_ID = re.compile(r"[A-Za-z0-9]{15}([A-Za-z0-9]{3})?")
_PROTOCOL = re.compile(r"[\x21-\x7e]{1,100}")
SEVERAL = "MULTIPLE_CHOICES"
# The CRM's status for a new case, and the request state that corresponds to each later status. Other statuses change
# nothing.
OPEN_STATUS = "Aberto"
STATES: Mapping[str, str] = {
    "Em andamento": "in_progress",
    "Aguardando informação": "needs_information",
    "Fechado com solução": "done",
    "Fechado sem solução": "refused",
    "Não constatado": "refused",
    "Cancelado": "refused",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A case that the platform opened. `owner` is empty if it belongs to no person. `changed` is as the CRM sent it."""

    id: str
    number: str
    owner: str = field(repr=False)
    protocol: str
    status: str | None
    message: str | None = field(repr=False)
    changed: str


async def write_case(crm: CrmClient, number: str, fields: Mapping[str, Any], deadline: Deadline) -> None:
    """Create or change the case with this number. Raises CrmAway if the CRM has several cases with this number."""
    await _upsert(crm, (CASE, NUMBER, number), fields, deadline)


async def write_step(crm: CrmClient, number: str, seq: int, fields: Mapping[str, Any], deadline: Deadline) -> None:
    """Add a step to a case, unless the CRM already has it. Raises CrmAway as `write_case` does."""
    await _upsert(crm, (CASE_STEP, STEP_KEY, f"{number}|{seq}"), {**fields, NUMBER: number}, deadline)


async def _upsert(crm: CrmClient, path: tuple[str, str, str], fields: Mapping[str, Any], deadline: Deadline) -> None:
    response = await crm.write("PATCH", path, fields, deadline)
    if response.status >= 300:
        raise CrmAway(SEVERAL, http_status=response.status)


async def find_case(crm: CrmClient, number: str, cpf: Cpf | None, deadline: Deadline) -> Case | None:
    """Return the case with this number, or None. Raises CrmAway if the CRM returns any other case."""
    if not _NUMBER.fullmatch(number):
        return None
    if cpf is None:
        listed = ", ".join(sorted(_FIELDS))
        query = Query(f"SELECT {listed} FROM {CASE} WHERE {NUMBER} = '{number}' LIMIT 2")  # noqa: S608 - checked
    else:
        query = Query.of_people(CASE, _OWNER, [cpf], _FIELDS, also=f"{NUMBER} = '{number}'", rest="LIMIT 2")
    (records,) = await crm.select(deadline, query)
    cases = [_to_case(record) for record in records]
    if any(case.number != number or case.owner != (cpf.digits if cpf else "") for case in cases):
        raise make_misdirected()
    if len(cases) > 1:
        raise CrmAway(SEVERAL)
    return cases[0] if cases else None


async def find_changed_cases(crm: CrmClient, since: datetime, after: str, deadline: Deadline) -> list[Case]:
    """Return a page of the platform's cases that changed at or after `since`, oldest first.

    The last page has fewer than `PAGE` cases. `after` is the id of the last case already read with the time `since`, or
    an empty string. The caller must check to whom each case belongs.
    """
    moment = since.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    beyond = f"({_CHANGED} > {moment} OR ({_CHANGED} = {moment} AND Id > '{after}'))"
    wanted = beyond if after else f"{_CHANGED} >= {moment}"
    text = (
        f"SELECT {', '.join(sorted(_FIELDS))} FROM {CASE} "  # noqa: S608 - checked ids and times only
        f"WHERE PedidoBalcao__c = true AND {wanted} ORDER BY {_CHANGED} ASC, Id ASC LIMIT {PAGE}"
    )
    (records,) = await crm.select(deadline, Query(text))
    return [_to_case(record) for record in records]


def _to_case(record: Record) -> Case:
    """Convert a record. Raises CrmAway if it has no usable id, number, protocol or time."""
    found, protocol, changed = record.get("Id"), record.get("CaseNumber"), record.get(_CHANGED)
    number = record.get(NUMBER)
    if not isinstance(found, str) or not _ID.fullmatch(found) or not isinstance(changed, str):
        raise CrmAway
    if not isinstance(protocol, str) or not _PROTOCOL.fullmatch(protocol):
        raise CrmAway
    if not isinstance(number, str):  # a case that the platform has not opened
        raise make_misdirected()
    return Case(
        id=found,
        number=number,
        owner=_read_owner(record.get(_OWNER)),
        protocol=protocol,
        status=_read_text(record.get("Status")),
        message=_read_text(record.get("Mensagem__c")),
        changed=changed,
    )


def _read_owner(value: object) -> str:
    """Return the CPF as eleven digits, or an empty string if there is none.

    Return "?" for any text that is not a CPF.
    """
    if not isinstance(value, str) or not value:
        return ""
    cpf = Cpf.parse_path(value)
    return cpf.digits if cpf else "?"


def _read_text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
