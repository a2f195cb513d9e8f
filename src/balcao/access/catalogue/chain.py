"""Computes the hash chain of the audit events in Python, with the same result as `access.chain_hash`.

Here, a thousand events take about 10 ms. In SQL, each event would need many function calls while the catalogue is
locked (rules: access 3.4).
"""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec


class ChainHead(NamedTuple):
    """The number and the hash of the chain's last event, and the catalogue version that the next events will have."""

    seq: int
    hash: str
    version: int


def chain_events(head: ChainHead, events: Sequence[Any], at: datetime) -> bytes:
    """Return the rows of the events as JSON. Each row contains its own hash and that of the previous event."""
    instant = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    rows: list[dict[str, Any]] = []
    previous = head.hash
    # Encode and decode the events as JSON, so that the hash covers exactly the values that a reader gets.
    for seq, event in enumerate(msgspec.json.decode(msgspec.json.encode(events)), start=head.seq + 1):
        row = event | {
            "seq": seq,
            "at": instant,
            "outcome": "done",
            "catalogue_version": head.version,
            "prev_hash": previous,
        }
        previous = hashlib.sha256((previous + encode_canonically(row)).encode()).hexdigest()
        rows.append(row | {"hash": previous})
    return msgspec.json.encode(rows)


def encode_canonically(document: Any) -> str:
    """Return JSON with sorted keys and no whitespace, as `access.canonical` writes it."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
