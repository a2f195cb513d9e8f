"""A parser for a subset of SOQL. It rejects all other queries as malformed."""

import functools
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import LarkError, VisitError

from balcao_sandbox.crm.refusals import Refused, make_malformed

# Limits of Salesforce: https://developer.salesforce.com/docs (SOQL and SOSL Reference)
LONGEST_QUERY = 100_000
HIGHEST_OFFSET = 2_000
_GRAMMAR = r"""
start: SELECT names FROM NAME [where] [order] [limit] [offset]
names: NAME ("," NAME)*
where: WHERE every
every: _term (AND _term)*
_term: condition | "(" either ")"
either: every (OR every)*
condition: NAME "=" value    -> equal
         | NAME ">=" MOMENT  -> since
         | NAME ">" value    -> beyond
         | NAME IN "(" TEXT ("," TEXT)* ")" -> among
value: TEXT -> text | MOMENT -> moment | TRUE -> true | FALSE -> false | NULL -> null
order: ORDER BY ordering ("," ordering)*
ordering: NAME [ASC | DESC]
limit: LIMIT COUNT
offset: OFFSET COUNT

SELECT.2: /SELECT\b/i
FROM.2: /FROM\b/i
WHERE.2: /WHERE\b/i
AND.2: /AND\b/i
OR.2: /OR\b/i
IN.2: /IN\b/i
ORDER.2: /ORDER\b/i
BY.2: /BY\b/i
ASC.2: /ASC\b/i
DESC.2: /DESC\b/i
LIMIT.2: /LIMIT\b/i
OFFSET.2: /OFFSET\b/i
TRUE.2: /TRUE\b/i
FALSE.2: /FALSE\b/i
NULL.2: /NULL\b/i
NAME: /[A-Za-z][A-Za-z0-9_]*/
TEXT: /'([^'\\]|\\['"\\nrt])*'/
MOMENT: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:?\d\d)/
COUNT: /\d{1,6}\b/
%ignore /\s+/
"""


@dataclass(frozen=True)
class Condition:
    """A comparison between a field and a string, boolean, time or None, or a list of strings (`IN`)."""

    field: str
    value: Any
    operator: Literal["=", ">", ">=", "IN"] = "="


@dataclass(frozen=True)
class Either:
    """Alternative groups of conditions. A record matches if it meets all conditions in at least one group."""

    groups: tuple[tuple["Condition | Either", ...], ...]


@dataclass(frozen=True)
class Query:
    fields: tuple[str, ...]
    entity: str
    conditions: tuple[Condition | Either, ...] = ()
    order: tuple[tuple[str, bool], ...] = ()  # field name, and whether the order is descending
    limit: int | None = None
    offset: int = 0

    def find_equal(self, field: str) -> str | None:
        """Return the string with which the query compares this field, or None if it does not."""
        plain = (condition for condition in self.conditions if isinstance(condition, Condition))
        wanted = (c.value for c in plain if c.field == field and isinstance(c.value, str))
        return next(wanted, None)


_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def _unquote(literal: str) -> str:
    text, plain = iter(literal[1:-1]), []
    for char in text:
        escaped = next(text) if char == "\\" else None
        plain.append(char if escaped is None else _ESCAPED.get(escaped, escaped))
    return "".join(plain)


@v_args(inline=True)
class _Reader(Transformer[Token, Query]):
    def start(self, _: Token, names: Any, __: Token, entity: Token, *rest: Any) -> Query:
        where, order, limit, offset = rest
        return Query(names, str(entity), where or (), order or (), limit, offset or 0)

    def names(self, *names: Token) -> tuple[str, ...]:
        return tuple(map(str, names))

    def where(self, _: Token, conditions: Any) -> Any:
        return conditions

    def every(self, *parts: Any) -> tuple[Condition | Either, ...]:
        return tuple(part for part in parts if not isinstance(part, Token))

    def either(self, *groups: Any) -> Either:
        return Either(tuple(group for group in groups if not isinstance(group, Token)))

    def equal(self, name: Token, value: Any) -> Condition:
        return Condition(str(name), value)

    def since(self, name: Token, moment: Token) -> Condition:
        return Condition(str(name), datetime.fromisoformat(moment), ">=")

    def beyond(self, name: Token, value: Any) -> Condition:
        return Condition(str(name), value, ">")

    def moment(self, moment: Token) -> datetime:
        return datetime.fromisoformat(moment)

    def among(self, name: Token, _: Token, *literals: Token) -> Condition:
        return Condition(str(name), [_unquote(literal) for literal in literals], "IN")

    def text(self, literal: Token) -> str:
        return _unquote(literal)

    def true(self, _: Token) -> bool:
        return True

    def false(self, _: Token) -> bool:
        return False

    def null(self, _: Token) -> None:
        return None

    def order(self, _: Token, __: Token, *orderings: Any) -> tuple[tuple[str, bool], ...]:
        return orderings

    def ordering(self, name: Token, direction: Token | None = None) -> tuple[str, bool]:
        return str(name), direction is not None and direction.type == "DESC"

    def limit(self, _: Token, count: Token) -> int:
        return int(count)

    def offset(self, _: Token, count: Token) -> int:
        if int(count) > HIGHEST_OFFSET:
            raise Refused(400, "NUMBER_OUTSIDE_VALID_RANGE", f"Maximum SOQL offset allowed is {HIGHEST_OFFSET}")
        return int(count)


@functools.cache
def _make_parser() -> Lark:
    """Build the parser when the first query arrives. Building it is slow, so it is not built at startup."""
    return Lark(_GRAMMAR, parser="lalr", maybe_placeholders=True)


def parse_query(text: str) -> Query:
    """Parse a query. Raises Refused if the query is malformed or its offset is too high."""
    if len(text) > LONGEST_QUERY:
        raise make_malformed("query too long")
    try:
        return _Reader().transform(_make_parser().parse(text))
    except VisitError as fault:
        if isinstance(fault.orig_exc, Refused):
            raise fault.orig_exc from None
        raise make_malformed("impossible value") from None
    except LarkError:
        raise make_malformed("unexpected token") from None
