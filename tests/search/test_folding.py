"""Folding: what is typed and what is written meet in one form (rules: search 4.6)."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rules import read_values

Sql = Callable[..., list[asyncpg.Record]]


def read_pairs() -> list[tuple[str, str]]:
    rows = files("tests.search.words").joinpath("held_out.txt").read_text("utf-8").splitlines()
    return [tuple(part.strip() for part in row.split("|")) for row in rows if not row.startswith("#")]  # type: ignore[misc]


def test_nine_of_ten_forms_that_citizens_type_meet_the_catalogues_form(sql: Sql) -> None:
    pairs = read_pairs()
    typed, written = zip(*pairs, strict=True)
    rows = sql(
        "SELECT typed, written FROM unnest($1::text[], $2::text[]) AS pair (typed, written)"
        " WHERE tsvector_to_array(search.lexemes(typed)) <> tsvector_to_array(search.lexemes(written))"
        " OR search.lexemes(typed) = ''",
        list(typed),
        list(written),
    )
    apart = [tuple(row) for row in rows]
    assert len(pairs) >= 100
    assert len(apart) <= len(pairs) // 10, apart


@pytest.mark.parametrize(("given_text", "folded"), read_values("search", "4.6 folding"))
def test_words_come_to_their_canonical_form(sql: Sql, given_text: str, folded: str) -> None:
    assert sql("SELECT search.fold($1)", given_text)[0][0] == folded


LETTERS = st.text("aeioãõçéslmnrzt 12ª.º-", max_size=40) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40
)


@given(texts=st.lists(LETTERS, min_size=1, max_size=30))
def test_folding_a_folded_text_changes_nothing(sql: Sql, texts: list[str]) -> None:
    rows: list[Any] = sql(
        "SELECT text, search.fold(text), search.fold(search.fold(text)) FROM unnest($1::text[]) AS text"
        " WHERE search.fold(text) <> search.fold(search.fold(text))",
        texts,
    )
    assert rows == []


@given(texts=st.lists(LETTERS, min_size=1, max_size=30))
def test_a_text_has_the_lexemes_of_its_words(sql: Sql, texts: list[str]) -> None:
    """What the stemmer is given does not depend on the words around: documents, queries and single words fold alike."""
    rows: list[Any] = sql(
        "SELECT text FROM unnest($1::text[]) AS text"
        " WHERE tsvector_to_array(search.lexemes(text)) <> ("
        "   SELECT coalesce(array_agg(DISTINCT lexeme ORDER BY lexeme), '{}')"
        "   FROM string_to_table(search.fold(text), ' ') AS word,"
        "        unnest(tsvector_to_array(search.lexemes(word))) AS lexeme)",
        texts,
    )
    assert rows == []
