"""Properties that hold for every comparison of versions (rules: search 2.1)."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from balcao.search.versions.comparison import COMPARED, list_differences

texts = st.text(max_size=5)
values = st.one_of(
    st.none(),
    texts,
    st.booleans(),
    st.integers(0, 2),
    st.floats(0, 2, allow_nan=False),
    st.lists(texts, max_size=2),
    st.dictionaries(texts, st.one_of(st.integers(0, 1), st.booleans(), st.none()), max_size=2),
)
snapshots = st.dictionaries(st.sampled_from([*COMPARED, "slug", "search_content"]), values)


def encode_members(snapshot: dict[str, Any]) -> dict[str, bytes]:
    """Return the members of a snapshot that a comparison can show: compared members with a value."""
    return {
        name: msgspec.json.encode(snapshot[name], order="sorted")
        for name in COMPARED
        if snapshot.get(name) not in (None, "", [], {})
    }


@given(snapshots)
def test_nothing_differs_from_itself(snapshot: dict[str, Any]) -> None:
    assert list_differences(snapshot, snapshot) == []


@given(snapshots, snapshots)
def test_the_way_back_exchanges_old_and_new(old: dict[str, Any], new: dict[str, Any]) -> None:
    forth, back = list_differences(old, new), list_differences(new, old)
    assert [(c.field_name, c.old_value, c.new_value) for c in forth] == [
        (c.field_name, c.new_value, c.old_value) for c in back
    ]


@given(snapshots, snapshots)
def test_the_changes_applied_to_the_old_give_the_new(old: dict[str, Any], new: dict[str, Any]) -> None:
    changes = {change.field_name: change.new_value for change in list_differences(old, new)}
    assert encode_members(old | changes) == encode_members(new)


@given(snapshots, snapshots)
def test_entries_stand_in_the_tables_order_and_never_tell_of_derived_members(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    names = [change.field_name for change in list_differences(old, new)]
    assert names == [name for name in COMPARED if name in names]


def test_a_new_value_gives_the_type_and_an_old_one_when_there_is_none_any_more() -> None:
    old = {"sub_categoria": "x", "status": 0, "is_free": None, "buttons": [{"a": 1}], "agents": {"a": 1}}
    new: dict[str, Any] = {"sub_categoria": None, "status": 1, "is_free": False, "buttons": [], "agents": None}
    assert [(c.field_name, c.old_value, c.new_value, c.value_type) for c in list_differences(old, new)] == [
        ("sub_categoria", "x", None, "string"),
        ("is_free", None, False, "bool"),
        ("agents", {"a": 1}, None, "object"),
        ("status", 0, 1, "int"),
        ("buttons", [{"a": 1}], None, "array"),
    ]


def test_true_is_not_one() -> None:
    [change] = list_differences({"extra_fields": {"a": True}}, {"extra_fields": {"a": 1}})
    assert (change.field_name, change.value_type) == ("extra_fields", "object")
