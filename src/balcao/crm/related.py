"""What the CRM keeps of a person beside the account: protocols, calls, service orders."""

from collections.abc import Iterator, Mapping, Sequence

from balcao.core.values.cpf import Cpf
from balcao.crm.fields import RELATED, FieldMap, Record, pick_known

MAX_RECORDS = 2_000  # what a CRM gives in one response
_NOT_SHOWN = frozenset({"objeto", "cpf"})


def format_queries(fields: FieldMap, cpf: Cpf) -> Iterator[str]:
    """Yield a query for each kind, in the order of RELATED; the newest records first."""
    for kind in RELATED:
        names = fields.related[kind]
        wanted = ", ".join(sorted({name for key, name in names.items() if key not in _NOT_SHOWN}))
        whose = f"{names['cpf']} = '{cpf.digits}'"
        yield (
            f"SELECT {wanted} FROM {names['objeto']} WHERE {whose} "  # noqa: S608 - names that the map has checked
            f"ORDER BY CreatedDate DESC LIMIT {MAX_RECORDS}"
        )


def translate(fields: FieldMap, found: Sequence[Sequence[Record]]) -> dict[str, list[dict[str, str]]]:
    """Return by kind what the queries found; what the CRM does not have is left out."""
    return {
        kind: [pick_known(_list_returned(fields.related[kind]), record) for record in records]
        for kind, records in zip(RELATED, found, strict=True)
    }


def _list_returned(names: Mapping[str, str]) -> dict[str, str]:
    return {key: name for key, name in names.items() if key not in _NOT_SHOWN}
