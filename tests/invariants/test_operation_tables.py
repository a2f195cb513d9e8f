"""The operation tables of the rules pages match the declarations (rules: health_units 2, agents 2, search 2)."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from balcao.agents import SERVICE as AGENTS
from balcao.core.access.rules import AUTHENTICATED, MACHINE, PUBLIC
from balcao.core.http.openapi import error_statuses
from balcao.core.http.operations import Operation
from balcao.core.service import Service
from balcao.health_units import SERVICE as HEALTH_UNITS
from balcao.search import SERVICE as SEARCH

RULES = Path(__file__).parents[2] / "docs" / "reference" / "rules"
SERVICES = [HEALTH_UNITS, AGENTS, SEARCH]
METHOD = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE)\b")
# Statuses for invalid requests, overload and failures. Every operation may return them although its table omits them.
EVERYWHERE = {400, 401, 403, 413, 415, 429, 500, 503}


@dataclass(frozen=True)
class Row:
    """A row of an operation table. It covers every operation whose method and path are both listed in the row."""

    methods: tuple[str, ...]
    paths: tuple[str, ...]
    rule: str
    success: frozenset[int]
    errors: frozenset[int]

    def covers(self, operation: Operation) -> bool:
        return operation.method in self.methods and shape(operation.path) in self.paths


def read_rows(service: Service) -> list[Row]:
    text = (RULES / f"{service.name}.md").read_text("utf-8")
    rows: list[Row] = []
    columns: list[str] = []
    for line in text[text.index("### 2.1") : text.index("\n## 3.")].splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if "Method, path" in line:
            columns = cells
        elif not line.startswith("|"):
            columns = []
        elif columns and METHOD.match(cells[0]):
            of = dict(zip(columns, cells, strict=True))
            rule = rows[-1].rule if of["Rule"] in {"same", "as unified-save"} else of["Rule"]
            paths = tuple(each for path in re.findall(r"`(/[^`]*)`", cells[0]) for each in expand(path))
            success = re.sub(r"\{.*\}", "", of["Success"])
            errors = rows[-1].errors if of["Errors"] == "as above" else find_statuses(of["Errors"])
            rows.append(Row(tuple(METHOD.findall(cells[0])), paths, rule, find_statuses(success), errors))
    return rows


def expand(path: str) -> list[str]:
    """Return the path without and with its optional part. The page writes this part in brackets."""
    bare, _, optional = shape(path).partition("[")
    return [bare, bare + optional.removesuffix("]")] if optional else [bare]


def shape(path: str) -> str:
    """Return the path with every parameter replaced by `{}`."""
    return re.sub(r"\{[^}]*\}", "{}", path)


def find_statuses(text: str) -> frozenset[int]:
    return frozenset(map(int, re.findall(r"\b[2-5]\d\d\b", text)))


def names_rule(words: str, operation: Operation) -> bool:
    """Return whether the page's text describes the declared rule."""
    rule = operation.rule
    if "/" in words:  # one rule for reads, one for writes
        words = words.split("/")[operation.method != "GET"]
    if "`public`" in words:
        return rule.action == PUBLIC
    if "agent read rule" in words:
        return rule.action == "agent_config:read" and bool(rule.clients)
    if "data-set read rule" in words.lower():
        return rule.action == "dataset:read" and bool(rule.clients)
    if "read rule" in words:
        return rule.action == AUTHENTICATED and "sms:read" in rule.scopes
    if wanted := re.findall(r"scope:([a-z:]+)", words):
        return set(wanted) == set(rule.scopes)
    if "`authenticated`" in words:
        return rule.action == AUTHENTICATED
    if "`self`" in words and "action:" not in words:
        return rule.owner and rule.action == MACHINE
    return rule.owner == ("`self`" in words) and rule.action in re.findall(
        r"[a-z_]+:[a-z_]+", words.replace("action:", "")
    )


PAIRS = [(service, operation) for service in SERVICES for operation in service.routes]


@pytest.mark.parametrize(("service", "operation"), PAIRS, ids=[operation.key for _, operation in PAIRS])
def test_every_operation_is_in_a_table_with_its_rule_and_its_statuses(service: Service, operation: Operation) -> None:
    rows = [row for row in read_rows(service) if row.covers(operation)]
    wanted = "one row, below `Method, path | Rule | Request | Success | Errors` in section 2 of the service's page"
    assert len(rows) == 1, f"{operation.method} {operation.path} is in {len(rows)} rows: {wanted}"
    (row,) = rows
    assert names_rule(row.rule, operation), row.rule
    described = error_statuses(operation)
    assert operation.status in row.success
    assert described - EVERYWHERE - row.errors - {304} <= ({404} if "{" in operation.path else set())


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_row_of_the_tables_is_declared(service: Service) -> None:
    declared = {(operation.method, shape(operation.path)) for operation in service.operations()}
    rows = read_rows(service)
    assert len(rows) > 20
    for row in rows:
        for method in row.methods:
            assert any((method, path) in declared for path in row.paths), (method, row.paths)
        for path in row.paths:
            assert any((method, path) in declared for method in row.methods), path
        statuses = {
            status for operation in service.routes if row.covers(operation) for status in error_statuses(operation)
        }
        assert row.errors <= statuses | EVERYWHERE, row
