"""Helpers that read the stored catalogue and verify the audit chain."""

import hashlib
import json
from typing import Any
from uuid import uuid4

import asyncpg

from tests.support.fixture_types import Sql

MEMBERS = (
    "seq, at, actor, operation, target_type, target_id, target_name, subject, before, after, outcome, "
    "request_id, catalogue_version, prev_hash, hash"
)
DOCUMENTS = {"actor", "subject", "before", "after"}


def format_path(action_id: object) -> str:
    return f"/access/api/v1/actions/{action_id}"


def read_version(sql: Sql) -> int:
    found: int = sql("SELECT version FROM access.catalogue_version")[0]["version"]
    return found


def find_action_id(sql: Sql, code_key: str) -> int:
    found: int = sql("SELECT id FROM access.action WHERE code_key = $1", code_key)[0]["id"]
    return found


def read_action(sql: Sql, identity: int) -> tuple[str, str]:
    row = sql("SELECT name, description FROM access.action WHERE id = $1", identity)[0]
    return row["name"], row["description"]


def make_name() -> str:
    return f"teste:{uuid4().hex}"


def add_action(sql: Sql) -> int:
    """Add a custom action for one test, and return its id."""
    statement = "INSERT INTO access.action (name, description, origin) VALUES ($1, 'De teste', 'custom') RETURNING id"
    made: int = sql(statement, make_name())[0]["id"]
    return made


def read_chain(sql: Sql) -> list[dict[str, Any]]:
    """Return the events of the audit chain in order. Each event contains the hashed members and `hash`."""
    return [
        to_document(row) for row in sql(f"SELECT {MEMBERS} FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq")
    ]


def read_denials(sql: Sql) -> list[dict[str, Any]]:
    """Return the recorded refusals, oldest first."""
    return [to_document(row) for row in sql(f"SELECT {MEMBERS} FROM access.audit_event WHERE seq IS NULL ORDER BY id")]


def to_document(row: asyncpg.Record) -> dict[str, Any]:
    event = {name: json.loads(value) if name in DOCUMENTS and value else value for name, value in row.items()}
    event["at"] = row["at"].strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return event


def encode_canonically(document: Any) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def verify(events: list[dict[str, Any]]) -> None:
    """Check that `seq` has no gaps and that each hash covers the previous hash and the event's content."""
    previous = "0" * 64
    for number, event in enumerate(events, start=1):
        content = {name: value for name, value in event.items() if name != "hash"}
        assert (event["seq"], event["prev_hash"]) == (number, previous)
        assert event["hash"] == hashlib.sha256((previous + encode_canonically(content)).encode()).hexdigest()
        previous = event["hash"]
