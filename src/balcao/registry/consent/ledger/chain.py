"""The hash chain of a citizen's ledger. The hash of each entry covers the entry and the previous hash."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Self

import msgspec

from balcao.registry.consent.ledger.schemas import LedgerEntry

# The previous hash of the first entry.
BEGINNING = bytes(32)


@dataclass(frozen=True)
class Link:
    """A ledger entry and its position in the chain. Each citizen's chain starts at `seq` 1."""

    seq: int
    entry: LedgerEntry
    prev_hash: bytes
    hash: bytes

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        entry = LedgerEntry(*(row[name] for name in LedgerEntry.__struct_fields__))
        return cls(row["seq"], entry, row["prev_hash"], row["hash"])


class Break(StrEnum):
    """The kinds of faults in a chain. The operator's command prints these values, so they must not change."""

    GAP = "gap"
    DETACHED = "detached"
    ALTERED = "altered"
    STATE = "state"


def hash_entry(entry: LedgerEntry, seq: int, prev_hash: bytes) -> bytes:
    """Return the SHA-256 of a JSON array that contains `prev_hash` and the entry's members.

    Never change the members or their order: existing hashes would no longer match.
    """
    members = (
        entry.cpf,
        seq,
        entry.id,
        entry.timestamp,
        entry.action,
        entry.scope,
        entry.category,
        entry.channel,
        entry.reason,
        entry.old_value,
        entry.new_value,
        entry.actor_kind,
        entry.azp,
        entry.request_id,
    )
    return hashlib.sha256(prev_hash + msgspec.json.encode(members)).digest()


def link_entries(entries: Sequence[LedgerEntry], seq: int, last: bytes) -> list[Link]:
    """Link the entries, in this order, to a chain whose last link has the number `seq` and the hash `last`."""
    links = []
    for place, entry in enumerate(entries, seq + 1):
        links.append(Link(place, entry, last, hash_entry(entry, place, last)))
        last = links[-1].hash
    return links


def find_breaks(chain: Sequence[Link]) -> Iterator[tuple[Link, Break]]:
    """Yield the faults in one citizen's chain, which must be sorted by `seq`. Yield at most one fault for each link."""
    before: Sequence[Link | None] = [None, *chain]
    for previous, link in pairwise(before):
        assert link is not None  # only the item before the first link is None
        if found := _find_break(previous, link):
            yield link, found


def _find_break(previous: Link | None, link: Link) -> Break | None:
    if link.seq != (previous.seq + 1 if previous else 1):
        return Break.GAP
    if link.prev_hash != (previous.hash if previous else BEGINNING):
        return Break.DETACHED
    return Break.ALTERED if link.hash != hash_entry(link.entry, link.seq, link.prev_hash) else None
