"""SQL of what a service must meet to be found: the step of the ladder, and the filters of the request."""

from typing import Any

from balcao.search.collection.alias import Alias
from balcao.search.public_search.matching import Matching
from balcao.search.public_search.parameters import SearchRequest
from balcao.search.public_search.tsquery import MOST_COMBINED_TERMS

BUDGET_SECONDS = 2.0
MOST_CANDIDATES = 2000
# Where a service has what is searched for: in its name, in name, summary or category; elsewhere is 0.
IN_NAME, IN_HEAD = 2, 1


class Values:
    """The parameters of one statement, in their order."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def add(self, value: Any, kind: str) -> str:
        """Return the place of a further parameter, as its type."""
        self.values.append(value)
        # A tsquery comes as text: the driver does not know the type. The subquery reads it once, not for each row.
        place = f"${len(self.values)}"
        return f"(SELECT {place}::text::tsquery)" if kind == "tsquery" else f"{place}::{kind}"

    def add_label(self, name: str) -> str:
        """Return the place of a name as it is compared with others."""
        return f"(SELECT search.fold_label({self.add(name, 'text')}))"


def write_condition(alias: Alias, matching: Matching, request: SearchRequest, values: Values) -> list[str]:
    """Return what every service that matches meets; its row is named `service`."""
    conditions = []
    if matching.query:
        conditions.append(f'service."full" @@ {values.add(matching.sought or matching.query, "tsquery")}')
    if len(matching.terms) > MOST_COMBINED_TERMS:  # of fewer terms the tsquery itself demands enough
        conditions.append(f"{count_terms(matching, values)} >= {values.add(matching.fewest, 'int')}")
    if matching.name_parts:
        # One condition for each: an index serves no comparison with all of a list.
        conditions += [f"service.nome_fold LIKE {values.add(f'%{part}%', 'text')}" for part in matching.name_parts]
    if matching.similar_to:
        physical, folded = values.add(alias.physical, "text"), values.add(matching.similar_to, "text")
        conditions.append(f"service.id IN (SELECT search.similar_names({physical}, {folded}))")
    return [*conditions, *write_filters(alias, matching, request, values)]


def write_filters(_: Alias, matching: Matching, request: SearchRequest, values: Values) -> list[str]:
    """Return the conditions of the filters, and those that keep out services with only a namesake of a word."""
    conditions = ["true"] if request.include_inactive else ["service.status = 1"]
    for own, namesake in matching.apart:
        has = f"service.nome_fold ~ {values.add(own, 'text')}"
        conditions.append(f"(service.nome_fold !~ {values.add(namesake, 'text')} OR {has})")
    if request.exclude_agent_exclusive:
        conditions.append("NOT service.exclusive")
    if request.category is not None:
        conditions.append(f"service.tema_fold = {values.add_label(request.category)}")
    if request.sub_category is not None:
        conditions.append(f"service.sub_fold = {values.add_label(request.sub_category)}")
    if request.orgao is not None:
        conditions.append(f"{values.add_label(request.orgao)} = ANY(service.orgao_fold)")
    if request.publico is not None:
        conditions.append(f"{values.add_label(request.publico)} = ANY(service.publico_fold)")
    if request.is_free is not None:
        conditions.append(f"service.is_free = {values.add(request.is_free, 'boolean')}")
    return conditions


def count_terms(matching: Matching, values: Values) -> str:
    """Return how many of the terms a service has."""
    each = [f'(service."full" @@ {values.add(term, "tsquery")})::int' for term in matching.terms]
    return f"({' + '.join(each)})"
