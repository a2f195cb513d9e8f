"""The audit chain: SQL computes its hashes, and independent code verifies them here (rules: access 3.4)."""

import asyncio
import json
from typing import Any

import asyncpg
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.access import stored
from tests.support.fixture_types import Sql

# All values that jsonb can store: strings without NUL and surrogates, nested to any depth.
texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**80), 2**80) | texts,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(texts, children, max_size=4),
    max_leaves=20,
)
AWKWARD = {"ação": 'aspas " e \\ barra', "z": [], "Z": {}, "\x01\x1f\x7f\t\n\b\f\r": ["\u2028", "𝄞", None, True, -1]}


def event(before: Any, after: Any) -> dict[str, Any]:
    return {
        "actor": {"sub": "s", "azp": "", "cpf": None, "display_name": "José"},
        "operation": "action.update",
        "target_type": "action",
        "target_name": "a:b",
        "before": before,
        "after": after,
        "request_id": "r",
    }


def record(sql: Sql, *events: dict[str, Any]) -> int:
    version: int = sql("SELECT access.record_changes($1::jsonb) AS version", json.dumps(events))[0]["version"]
    return version


@settings(max_examples=200)
@given(document=documents)
def test_canonical_json_is_the_same_in_sql_and_here(sql: Sql, document: Any) -> None:
    found = sql("SELECT access.canonical($1::jsonb) AS text", json.dumps(document))[0]["text"]
    assert found == stored.encode_canonically(document)


def test_whatever_an_event_holds_the_chain_verifies(sql: Sql) -> None:
    before = stored.read_version(sql)
    assert record(sql, event(AWKWARD, None), event(None, {"deep": AWKWARD})) == before + 1
    assert record(sql, event("text", [1, 2])) == before + 2
    events = stored.read_chain(sql)
    assert [(e["before"], e["catalogue_version"]) for e in events[-3:]] == [
        (AWKWARD, before + 1),
        (None, before + 1),
        ("text", before + 2),
    ]
    stored.verify(events)


def test_a_touched_event_breaks_the_chain_where_it_stands(sql: Sql) -> None:
    record(sql, event(None, {"name": "a:b"}))
    number = stored.read_chain(sql)[-1]["seq"]
    record(sql, event(None, None))
    events = stored.read_chain(sql)
    events[number - 1]["after"] = {"name": "a:c"}
    stored.verify(events[: number - 1])
    try:
        stored.verify(events)
    except AssertionError:
        return
    raise AssertionError("the change was not detected")


async def test_writers_at_once_make_one_chain_without_gaps(database_url: str, sql: Sql) -> None:
    pool = await asyncpg.create_pool(database_url, min_size=8, max_size=8)
    async with pool:
        documents = [json.dumps([event({"n": n}, None)]) for n in range(40)]
        await asyncio.gather(*(pool.fetchval("SELECT access.record_changes($1::jsonb)", text) for text in documents))
        rows = await pool.fetch(f"SELECT {stored.MEMBERS} FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq")
    events = [stored.to_document(row) for row in rows]
    stored.verify(events)
    assert {e["before"]["n"] for e in events if isinstance(e["before"], dict) and "n" in e["before"]} == set(range(40))
