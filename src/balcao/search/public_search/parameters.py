"""Parses the parameters of a search from the query string, without SQL or HTTP (rules: search 2.3)."""

from collections.abc import Mapping, Sequence
from typing import Self

import msgspec

from balcao.core.errors import Invalid
from balcao.core.values.text import has_control, split_list
from balcao.search.conventions import (
    parse_choice_parameter,
    parse_flag_parameter,
    parse_page_parameters,
    read_parameter,
)
from balcao.search.index import schema
from balcao.search.public_search.candidates import ALL, Filters, Zones

LONGEST_QUERY = 200
# No compared name is longer, so a longer value matches nothing.
LONGEST_NAME = 200
KINDS = ("keyword", "hybrid", "semantic", "ai")
FACETS = ("tema_geral", "sub_categoria", "orgao_gestor", "publico_especifico", "is_free")
COLLECTIONS = ("services",)
# The zones of the index for each field (rules: search 4.6).
FIELDS = {
    "nome_servico": (schema.NAME, schema.LEMMAS, schema.PHRASES),
    "resumo": (schema.HEAD,),
    "descricao_completa": (schema.REST,),
    "documentos_necessarios": (schema.DOCUMENTS,),
    "instrucoes_solicitante": (schema.DOCUMENTS,),
}
HEAVIEST = 10


class SearchRequest(msgspec.Struct, frozen=True):
    """All parameters of a search.

    Equal requests have equal results, so a request can be a cache key. `zones` are the zones to search.
    """

    q: str
    kind: str = "keyword"
    page: int = 1
    per_page: int = 10
    category: str | None = None
    sub_category: str | None = None
    orgao: str | None = None
    publico: str | None = None
    is_free: bool | None = None
    is_highlighted: bool | None = None
    facets: tuple[str, ...] = ()
    highlight: bool = True
    recency_boost: bool = False
    threshold: float | None = None
    exclude_agent_exclusive: bool = True
    include_inactive: bool = False
    zones: Zones = ALL

    @property
    def filters(self) -> Filters:
        """The filter values that every result must have, and those that hide a service."""
        names = {
            "tema_geral": self.category,
            "sub_categoria": self.sub_category,
            "orgao_gestor": self.orgao,
            "publico_especifico": self.publico,
            "is_free": _write_flag(self.is_free),
            schema.HIGHLIGHTED: _write_flag(self.is_highlighted),
        }
        hidden = {schema.DRAFT: not self.include_inactive, schema.EXCLUSIVE: self.exclude_agent_exclusive}
        return Filters(
            [schema.write_filter(field, name) for field, name in names.items() if name is not None],
            [mark for mark, is_hidden in hidden.items() if is_hidden],
        )

    @property
    def first_place(self) -> int:
        """The position of the first result of the page among all results, from 0."""
        return (self.page - 1) * self.per_page

    @property
    def last_place(self) -> int:
        """The position after the last result of the page."""
        return self.first_place + self.per_page

    @property
    def matches_nothing(self) -> bool:
        """Whether a filter has a value that no service can have."""
        names = (self.category, self.sub_category, self.orgao, self.publico)
        return any(name is not None and (len(name) > LONGEST_NAME or has_control(name, allowed="")) for name in names)

    @classmethod
    def parse_unified(cls, query: Mapping[str, str]) -> Self:
        """Parse the parameters of the unified search. Raises Invalid, which names the bad parameter."""
        _parse_list(query, "collections", COLLECTIONS)
        return msgspec.structs.replace(cls.parse(query), zones=_parse_fields(query))

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> Self:
        """Parse the parameters. Raises Invalid, which names the parameter, if a value is bad."""
        page, per_page = parse_page_parameters(query)
        highlight, exclude = (
            parse_flag_parameter(query, "highlight"),
            parse_flag_parameter(query, "exclude_agent_exclusive"),
        )
        return cls(
            q=parse_text(query),
            kind=parse_choice_parameter(query, "type", KINDS) or "keyword",
            page=page,
            per_page=per_page,
            category=read_parameter(query, "category"),
            sub_category=read_parameter(query, "sub_category"),
            orgao=read_parameter(query, "orgao"),
            publico=read_parameter(query, "publico"),
            is_free=parse_flag_parameter(query, "is_free"),
            is_highlighted=parse_flag_parameter(query, schema.HIGHLIGHTED),
            facets=_parse_list(query, "facets", FACETS),
            highlight=highlight is not False,
            recency_boost=parse_flag_parameter(query, "recency_boost") is True,
            threshold=_parse_threshold(query),
            exclude_agent_exclusive=exclude is not False,
            include_inactive=parse_flag_parameter(query, "include_inactive") is True,
        )


def parse_text(query: Mapping[str, str]) -> str:
    """Return the text of the query. Raises Invalid for a wrong length."""
    text = query.get("q", "").strip()
    if not 1 <= len(text) <= LONGEST_QUERY:
        raise Invalid(f"O parâmetro `q` deve ter de 1 a {LONGEST_QUERY} caracteres.", code="q-length")
    return text


def _write_flag(flag: bool | None) -> str | None:
    return None if flag is None else str(flag).lower()


def _parse_list(query: Mapping[str, str], name: str, known: Sequence[str]) -> tuple[str, ...]:
    """Parse a comma-separated list without duplicates. Raises Invalid for an unknown value."""
    chosen = tuple(dict.fromkeys(split_list(read_parameter(query, name) or "")))
    if not set(chosen) <= set(known):
        raise Invalid(f"O parâmetro `{name}` aceita: {', '.join(known)}.", code=f"{name}-invalid")
    return chosen


def _parse_threshold(query: Mapping[str, str]) -> float | None:
    text = read_parameter(query, "threshold_keyword")
    if text is None:
        return None
    try:
        threshold = float(text)
    except ValueError:
        threshold = -1.0
    if not 0.0 <= threshold <= 1.0:
        raise Invalid("O parâmetro `threshold_keyword` deve ser um número de 0 a 1.", code="threshold_keyword-invalid")
    return threshold


def _parse_fields(query: Mapping[str, str]) -> Zones:
    """Return the searched zones. The heaviest field keeps its zone's boost.

    Raises Invalid for an unknown field or bad weights.
    """
    fields = split_list(read_parameter(query, "search_fields") or "")
    weights = split_list(read_parameter(query, "search_weights") or "")
    if not set(fields) <= set(FIELDS):
        raise Invalid(f"O parâmetro `search_fields` aceita: {', '.join(FIELDS)}.", code="search_fields-invalid")
    if weights and len(weights) != len(fields):
        raise Invalid(
            "Os parâmetros `search_fields` e `search_weights` devem ter a mesma quantidade de itens.",
            code="search_weights-count",
        )
    if not all(word.isascii() and word.isdigit() and len(word) <= 2 and 1 <= int(word) <= HEAVIEST for word in weights):
        text = f"O parâmetro `search_weights` deve ter inteiros de 1 a {HEAVIEST}."
        raise Invalid(text, code="search_weights-invalid")
    if not fields:
        return ALL
    if not weights:
        return Zones(tuple(ALL.among({zone for name in fields for zone in FIELDS[name]})))
    given: dict[str, int] = {}
    for name, weight in zip(fields, map(int, weights), strict=True):
        for zone in FIELDS[name]:
            given[zone] = max(given.get(zone, 0), weight)
    return Zones(tuple((zone, weight / HEAVIEST) for zone, weight in given.items()))
