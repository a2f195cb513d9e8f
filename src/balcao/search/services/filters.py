"""How staff can filter and sort the list of services (rules: search 2.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from balcao.core.errors import Invalid
from balcao.core.values.text import has_control
from balcao.search.conventions import parse_choice_parameter, parse_flag_parameter, read_parameter, require_parameter

# No compared member is longer, so a longer value cannot match and the query is skipped.
LONGEST_VALUE = 500
LATEST_SECOND = 253_402_300_799

FIELDS = ("id", "nome_servico", "orgao_gestor", "tema_geral", "sub_categoria", "autor", "slug", "publico_especifico")
SORTS = ("last_update", "nome_servico", "published_at", "created_at")
ORDERS = ("desc", "asc")
# The query parameters that filter by a string, each with the member to which the string is compared.
_TEXTS = {"tema_geral": "tema_geral", "sub_categoria": "sub_categoria", "author": "autor"}


@dataclass(frozen=True)
class ServiceFilters:
    """The filters of a list. A service must match all pairs of member and value in `members`.

    `matches_nothing` is true if no service can have one of the values.
    """

    members: tuple[tuple[str, Any], ...] = ()
    sort_by: str = "last_update"
    order: str = "desc"

    @property
    def matches_nothing(self) -> bool:
        texts = [value for _, value in self.members if isinstance(value, str)]
        return any(len(text) > LONGEST_VALUE or has_control(text) for text in texts)

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> Self:
        """Parse the query. Raises Invalid, which names the parameter, if a value is bad."""
        sort_by, order = parse_choice_parameter(query, "sort_by", SORTS), parse_choice_parameter(query, "order", ORDERS)
        found = [
            *_parse_states(query),
            *((member, read_parameter(query, name)) for name, member in _TEXTS.items()),
            ("nome_servico", read_parameter(query, "nome_servico")),
            _parse_field(query),
        ]
        members = tuple((member, value) for member, value in found if value is not None)
        return cls(members, sort_by or "last_update", order or "desc")


def _parse_states(query: Mapping[str, str]) -> list[tuple[str, Any]]:
    status = parse_choice_parameter(query, "status", ("0", "1"))
    return [
        ("status", None if status is None else int(status)),
        ("awaiting_approval", parse_flag_parameter(query, "awaiting_approval")),
        ("is_free", parse_flag_parameter(query, "is_free")),
        ("published_at", _parse_instant(query, "published_at")),
    ]


def _parse_instant(query: Mapping[str, str], name: str) -> int | None:
    text = read_parameter(query, name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and int(text) <= LATEST_SECOND):
        raise Invalid(f"O parâmetro `{name}` deve ser um instante em segundos.", code=f"{name}-invalid")
    return int(text)


def _parse_field(query: Mapping[str, str]) -> tuple[str, str | None]:
    field = parse_choice_parameter(query, "field", FIELDS)
    return ("id", None) if field is None else (field, require_parameter(query, "value"))
