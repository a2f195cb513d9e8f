"""The proof of consent: a ledger entry for every preference change, and the verification of the chains."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.core.values.page import Page
from balcao.registry.consent.ledger import store
from balcao.registry.consent.ledger.chain import Break, Link, find_breaks, link_entries
from balcao.registry.consent.ledger.schemas import LedgerAction, LedgerEntry, PreferenceHistory
from balcao.registry.consent.ledger.store import LedgerHead

PROOF_OF_CONSENT = "Prova do consentimento."
"""The legal basis for retaining a person's consents."""


@dataclass(frozen=True)
class Change:
    """A preference that changes to `new_value`. `category` is None for the global flag."""

    category: str | None
    new_value: bool


class Finding(msgspec.Struct, frozen=True):
    """A fault in a chain. The CPF is masked."""

    cpf: str
    seq: int
    id: str
    fault: Break


class Verification(msgspec.Struct, frozen=True):
    """The result of a verification. The ledger is intact if `findings` is empty.

    `chains` is the number of verified citizens.
    """

    chains: int
    entries: int
    findings: list[Finding]


def make_entries(
    call: Call, cpf: Cpf, head: LedgerHead, changes: Sequence[Change], channel: str, reason: str | None
) -> list[dict[str, Any]]:
    """Return the ledger rows for these changes, as arguments for `registry.append_preference_entries`.

    All entries get the time in `head`.
    """
    entries = [_entry(call, cpf, change, head.moment, channel, reason) for change in changes]
    return [_row(link) for link in link_entries(entries, head.seq, head.hash)]


def _row(link: Link) -> dict[str, Any]:
    hashes = {"prev_hash": f"\\x{link.prev_hash.hex()}", "hash": f"\\x{link.hash.hex()}"}
    return msgspec.structs.asdict(link.entry) | {"seq": link.seq} | hashes


def _entry(call: Call, cpf: Cpf, change: Change, moment: datetime, channel: str, reason: str | None) -> LedgerEntry:
    return LedgerEntry(
        id=new_id(),
        cpf=cpf.digits,
        timestamp=moment,
        action=_action(change),
        scope="category" if change.category else "global",
        category=change.category,
        channel=channel,
        reason=reason,
        old_value=not change.new_value,
        new_value=change.new_value,
        actor_kind=call.actor_kind,
        azp=call.client,
        request_id=call.request_id,
    )


def _action(change: Change) -> LedgerAction:
    if change.category is not None:
        return "category_update"
    return "opt_in" if change.new_value else "opt_out"


async def read_preference_history(call: Call, cpf: Cpf, page: Page) -> PreferenceHistory:
    async with call.reading(cpf, ["preference_history"]) as source:
        data = await store.list_ledger_entries(source, cpf, page)
        return PreferenceHistory(data, page.of(await store.count_ledger_entries(source, cpf)))


async def verify_ledger(connection: Connection, cpf: Cpf | None = None) -> Verification:
    """Verify one citizen's chain, or all chains if `cpf` is None.

    The transaction must use the isolation level `repeatable_read`, so that the reads of the ledger and of the
    preferences see the same state.
    """
    chains = entries = 0
    findings = []
    async for chain in store.iterate_chains(connection, cpf):
        chains += 1
        entries += len(chain)
        findings += [_finding(link.entry.cpf, link.seq, link.entry.id, fault) for link, fault in find_breaks(chain)]
    contradicted = await store.find_contradicted_entries(connection, cpf)
    findings += [_finding(*place, Break.STATE) for place in contradicted]
    return Verification(chains, entries, findings)


def _finding(digits: str, seq: int, id_: str, fault: Break) -> Finding:
    return Finding(Cpf(digits).masked, seq, id_, fault)
