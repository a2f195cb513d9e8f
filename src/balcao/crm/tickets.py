"""A person's tickets in the CRM, with their service orders and the progress of each order."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from balcao.core.values.cpf import Cpf
from balcao.crm.client import CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway
from balcao.crm.fields import PROGRESS, Record, pick_known
from balcao.crm.queries import Query, make_misdirected
from balcao.crm.related import MAX_RECORDS

MAX_TICKETS = 200
_NUMBER = re.compile(r"[A-Z]{2,5}-[0-9]{4}-[0-9]{8}")  # queries contain ticket numbers without escaping
# Tickets are sorted newest first, but their orders and progress oldest first.
_ORDER_BY = {
    "protocolos": f"CreatedDate DESC LIMIT {MAX_TICKETS}",
    "ordensServico": f"CreatedDate ASC LIMIT {MAX_RECORDS}",
    PROGRESS: f"CreatedDate ASC LIMIT {MAX_RECORDS}",
}

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """A service order. `texts` and the entries of `progress` contain the CRM's values under our keys.

    Missing values are omitted.
    """

    texts: Texts
    progress: Sequence[Texts]


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket. `texts` contains the CRM's values under our keys. Missing values are omitted."""

    texts: Texts
    orders: Sequence[Order]


async def find_tickets(crm: CrmClient, cpf: Cpf, deadline: Deadline) -> list[Ticket]:
    """Return at most `MAX_TICKETS` of the person's tickets, newest first."""
    return await _find(crm, cpf, None, deadline)


async def find_one(crm: CrmClient, cpf: Cpf, number: str, deadline: Deadline) -> Ticket | None:
    """Return one of the person's tickets, or None if the number is not valid or the person has no such ticket."""
    if not _NUMBER.fullmatch(number):
        return None
    return next(iter(await _find(crm, cpf, number, deadline)), None)


async def _find(crm: CrmClient, cpf: Cpf, number: str | None, deadline: Deadline) -> list[Ticket]:
    kinds = [crm.fields.related[kind] for kind in _ORDER_BY]
    queries = (_build_query(names, cpf, number, order) for names, order in zip(kinds, _ORDER_BY.values(), strict=True))
    found = await crm.select(deadline, *queries)
    tickets, orders, progress = (
        [_to_texts(names, record) for record in records] for names, records in zip(kinds, found, strict=True)
    )
    if number is not None and any(ticket["protocolo"] != number for ticket in tickets):
        raise make_misdirected()
    return [Ticket(ticket, list(_assemble(ticket["protocolo"], orders, progress))) for ticket in tickets]


def _assemble(number: str, orders: Sequence[Texts], progress: Sequence[Texts]) -> Iterator[Order]:
    for order in orders:
        if order.get("protocolo") == number:
            yield Order(order, [step for step in progress if step.get("numero") == order["numero"]])


def _build_query(names: Mapping[str, str], cpf: Cpf, number: str | None, order: str) -> Query:
    """Return the query for the person's records of one kind.

    With `number`, it returns only the records of one ticket.
    """
    fields = [name for key, name in names.items() if key != "objeto"]
    also = f"{names['protocolo']} = '{number}'" if number else ""
    return Query.of_people(names["objeto"], names["cpf"], [cpf], fields, also=also, rest=f"ORDER BY {order}")


def _to_texts(names: Mapping[str, str], record: Record) -> Texts:
    """Return the record's values under our keys. Raises CrmAway if the record has no number."""
    texts = pick_known({key: name for key, name in names.items() if key != "objeto"}, record)
    if ("numero" if "numero" in names else "protocolo") not in texts:
        raise CrmAway
    return texts
