"""Compares citizens' requests with the cases that the CRM has for them (rules: registry 4.20)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import asyncpg

# The requests of histories have a mark in their description. The first step is left out, because it is the case itself.
STORED = """
SELECT number, protocol, cpf, (
    SELECT coalesce(array_agg(text ORDER BY seq), '{}') FROM registry.request_step AS step
    WHERE step.cpf = request.cpf AND step.request = request.id AND seq > 1 AND author IN ('citizen', 'staff')) AS texts
FROM registry.request WHERE description LIKE 'marca-%'
"""


class SentRequest(NamedTuple):
    """A request, with the texts that its citizen and staff wrote, and the CRM's cases for it."""

    number: str
    owner: str
    protocol: str | None
    texts: Sequence[str | None]
    cases: Sequence[Mapping[str, Any]]


async def read_requests(connection: asyncpg.Connection, cases: Sequence[Mapping[str, Any]]) -> list[SentRequest]:
    """Return the requests of all histories, with their cases."""
    return [
        SentRequest(
            row["number"],
            row["cpf"],
            row["protocol"],
            row["texts"],
            [case for case in cases if case["NumeroPedido__c"] == row["number"]],
        )
        for row in await connection.fetch(STORED)
    ]


def find_wrong_cases(requests: Iterable[SentRequest]) -> Iterator[str]:
    """Describe each request that is not exactly one case in the CRM.

    The case must have the request's person, its protocol and all its steps.
    """
    for one in requests:
        shown = [(case["CPF__c"], case["CaseNumber"]) for case in one.cases]
        if shown != [(one.owner, one.protocol)]:
            yield f"request {one.number}, protocol {one.protocol}, has the cases {shown}"
            continue
        sent = [step["Texto__c"] for case in one.cases for step in sorted(case["steps"], key=_find_place)]
        if sent != list(one.texts):
            yield f"request {one.number}: the CRM has the steps {sent}, not {list(one.texts)}"


def _find_place(step: Mapping[str, Any]) -> int:
    return int(step["Chave__c"].rpartition("|")[2])
