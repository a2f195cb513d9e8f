"""The plans for the statements that a running server sends. PostgreSQL writes them to its log (auto_explain)."""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import asyncpg

_SETTINGS = (
    "session_preload_libraries = 'auto_explain'",
    "auto_explain.log_min_duration = 0",
    "auto_explain.log_nested_statements = on",
    "auto_explain.log_format = 'json'",
    "auto_explain.log_parameter_max_length = 0",
)
_PLAN = re.compile(r"plan:\n((?:\t.*\n)+)")


class PlanLog:
    """The plans that PostgreSQL has logged since this object was created."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin = path.stat().st_size

    def read(self) -> list[dict[str, Any]]:
        """Return all plans logged so far."""
        text = self._path.read_bytes()[self._begin :].decode(errors="replace")
        return [json.loads(found[1]) for found in _PLAN.finditer(text)]


async def explain_from_now(connection: asyncpg.Connection) -> PlanLog:
    """Log the plans of all connections to this database that are opened from now on."""
    name, folder = await connection.fetchrow("SELECT current_database(), current_setting('data_directory')")
    for setting in _SETTINGS:
        await connection.execute(f'ALTER DATABASE "{name}" SET {setting}')
    return PlanLog(Path(folder).parent / "postgres.log")


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a plan, starting with its root."""
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def list_relations(plans: list[dict[str, Any]]) -> set[str]:
    """Return the tables that the plans read or write."""
    return {node["Relation Name"] for plan in plans for node in nodes(plan["Plan"]) if "Relation Name" in node}


def list_whole_reads(plans: list[dict[str, Any]], tables: Collection[str]) -> list[tuple[str, str]]:
    """Return the sequential scans of these tables, as pairs of a table and the statement."""
    return [
        (node["Relation Name"], plan["Query Text"])
        for plan in plans
        for node in nodes(plan["Plan"])
        if node["Node Type"].endswith("Seq Scan") and node.get("Relation Name") in tables
    ]
