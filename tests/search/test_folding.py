"""Folding in SQL, which the staff list applies to names (rules: search 4.6)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fixture_types import Sql
from tests.support.rules import read_values

TEXTS = st.text("aeioãõçéslmnrzt 12ª.º-", max_size=40) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40
)


@pytest.mark.parametrize(("given_text", "folded"), read_values("search", "4.6 folding"))
def test_words_come_to_their_canonical_form(sql: Sql, given_text: str, folded: str) -> None:
    assert sql("SELECT search.fold($1)", given_text)[0][0] == folded


@given(texts=st.lists(TEXTS, min_size=1, max_size=30))
def test_folding_a_folded_text_changes_nothing(sql: Sql, texts: list[str]) -> None:
    rows: list[Any] = sql(
        "SELECT text, search.fold(text), search.fold(search.fold(text)) FROM unnest($1::text[]) AS text"
        " WHERE search.fold(text) <> search.fold(search.fold(text))",
        texts,
    )
    assert rows == []
