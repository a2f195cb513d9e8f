"""A person's data in the CRM in addition to the account: tickets, calls and service orders."""

from collections.abc import Iterator, Mapping, Sequence

from balcao.core.values.cpf import Cpf
from balcao.crm.fields import RELATED, FieldMap, Record, pick_known
from balcao.crm.queries import Query

MAX_RECORDS = 2_000  # the CRM returns at most this many records in one response
_NOT_SHOWN = frozenset({"objeto", "cpf"})


def build_queries(fields: FieldMap, cpf: Cpf) -> Iterator[Query]:
    """Yield one query for each kind in RELATED, in this order. The queries return the newest records first."""
    rest = f"ORDER BY CreatedDate DESC LIMIT {MAX_RECORDS}"
    for kind in RELATED:
        names = fields.related[kind]
        yield Query.of_people(names["objeto"], names["cpf"], [cpf], _list_returned(names).values(), rest=rest)


def translate_related(fields: FieldMap, found: Sequence[Sequence[Record]]) -> dict[str, list[dict[str, str]]]:
    """Return the queries' results by kind, under our keys. Missing values are omitted."""
    return {
        kind: [pick_known(_list_returned(fields.related[kind]), record) for record in records]
        for kind, records in zip(RELATED, found, strict=True)
    }


def _list_returned(names: Mapping[str, str]) -> dict[str, str]:
    return {key: name for key, name in names.items() if key not in _NOT_SHOWN}
