"""The chain of a ledger reveals every changed or removed entry."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from balcao.registry.consent.ledger.chain import BEGINNING, Break, Link, find_breaks, link_entries
from balcao.registry.consent.ledger.schemas import LedgerEntry

MEMBERS: dict[str, st.SearchStrategy[Any]] = {
    "id": st.uuids().map(str),
    "cpf": st.just("90000000256"),
    "timestamp": st.datetimes(datetime(2000, 1, 1), timezones=st.just(UTC)),
    "action": st.sampled_from(["opt_in", "opt_out", "category_update"]),
    "scope": st.sampled_from(["global", "category"]),
    "category": st.none() | st.text(max_size=5),
    "channel": st.text(max_size=5),
    "reason": st.none() | st.text(max_size=5),
    "old_value": st.booleans(),
    "new_value": st.booleans(),
    "actor_kind": st.sampled_from(["owner", "staff", "operator"]),
    "azp": st.text(max_size=5),
    "request_id": st.text(max_size=5),
}
ENTRIES = st.lists(st.builds(LedgerEntry, **MEMBERS), min_size=1, max_size=5)


@given(ENTRIES, st.data())
def test_any_other_member_of_any_entry_breaks_the_chain_there(entries: list[LedgerEntry], data: st.DataObject) -> None:
    chain = link_entries(entries, 0, BEGINNING)
    assert list(find_breaks(chain)) == []
    place = data.draw(st.integers(0, len(chain) - 1))
    name = data.draw(st.sampled_from(sorted(MEMBERS)))
    value = data.draw(MEMBERS[name])
    altered = replace(chain[place], entry=msgspec.structs.replace(entries[place], **{name: value}))
    expected = [] if altered == chain[place] else [(altered, Break.ALTERED)]
    assert list(find_breaks([*chain[:place], altered, *chain[place + 1 :]])) == expected


@given(ENTRIES, st.data())
def test_an_entry_taken_out_of_the_middle_leaves_a_gap(entries: list[LedgerEntry], data: st.DataObject) -> None:
    chain = link_entries(entries, 0, BEGINNING)
    taken = data.draw(st.integers(0, len(chain) - 1))
    left: list[Link] = chain[:taken] + chain[taken + 1 :]
    assert [fault for _, fault in find_breaks(left)] == [Break.GAP] * (taken < len(chain) - 1)
