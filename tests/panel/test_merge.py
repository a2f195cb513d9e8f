"""Merging two people's changes to one record."""

from hypothesis import given
from hypothesis import strategies as st

from balcao.panel.merge import merge

NAMES = ["titulo", "resumo", "orgao"]
RECORDS = st.fixed_dictionaries({name: st.integers(0, 3) for name in NAMES})


def test_fields_that_one_side_touched_are_joined_and_disputed_ones_are_asked() -> None:
    base = {"titulo": "a", "resumo": "b", "orgao": "c"}
    merged = merge(base, base | {"titulo": "A", "orgao": "C"}, base | {"resumo": "B", "orgao": "meu"})
    assert merged.values == {"titulo": "A", "resumo": "B", "orgao": "meu"}
    assert merged.joined == ["titulo"]
    assert [(one.name, one.base, one.theirs, one.mine) for one in merged.disputed] == [("orgao", "c", "C", "meu")]


@given(RECORDS, RECORDS, RECORDS)
def test_no_change_of_either_side_is_lost_unseen(
    base: dict[str, int], theirs: dict[str, int], mine: dict[str, int]
) -> None:
    merged = merge(base, theirs, mine)
    disputed = {one.name for one in merged.disputed}
    for name in NAMES:
        if mine[name] != base[name]:
            assert merged.values[name] == mine[name]
        if theirs[name] != base[name] and name not in disputed:
            assert merged.values[name] == theirs[name]
        if theirs[name] != base[name] and mine[name] != base[name] and theirs[name] != mine[name]:
            assert name in disputed


@given(RECORDS, RECORDS)
def test_who_changed_nothing_gets_what_the_other_saved(base: dict[str, int], theirs: dict[str, int]) -> None:
    merged = merge(base, theirs, base)
    assert merged.values == theirs
    assert merged.disputed == []
