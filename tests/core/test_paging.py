"""Valid and invalid page numbers and cursors, and the number of pages."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.errors import Invalid
from balcao.core.http.paging import MOST_PER_PAGE, parse_page
from balcao.core.http.requests import Request
from balcao.core.values.cursors import decode_cursor, encode_cursor
from balcao.core.values.numbers import parse_whole_number
from balcao.core.values.page import Page


@given(st.integers(1, 50), st.integers(1, MOST_PER_PAGE), st.integers(0, 3000))
def test_the_pages_hold_every_item_once(page: int, per_page: int, total: int) -> None:
    items = list(range(total))
    shown = Page(page, per_page)
    pages = shown.of(total).total_pages
    assert [i for n in range(1, pages + 1) for i in items[Page(n, per_page).offset :][:per_page]] == items
    assert (page <= pages) == bool(items[shown.offset :][: shown.limit])


@pytest.mark.parametrize("text", ["0", "101", "x", "", " 1", "+1", "-1", "1.0", "1e2", "٣", "²", "9" * 5000])
def test_what_is_no_whole_number_in_bounds_is_refused_by_name(text: str) -> None:
    with pytest.raises(Invalid, match="`per_page`") as refused:
        parse_whole_number("per_page", text, 1, 100, default=10)
    assert refused.value.code == "per_page-invalid"


def test_without_parameters_the_first_page_of_the_default_size() -> None:
    queries = (b"", b"page=3", b"per_page=7&per_page=8")
    seen = [parse_page(Request("GET", b"/", query).query(), per_page=20) for query in queries]
    assert seen == [Page(1, 20), Page(3, 20), Page(1, 7)]


@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 23))
def test_a_cursor_is_a_short_text_that_is_good_for_its_own_list_alone(position: int, place: int) -> None:
    text = encode_cursor("services", position)
    assert re.fullmatch("[0-9A-Za-z_-]{24}", text)
    assert decode_cursor("services", text) == position
    altered = text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 :]
    for list_name, sent in (("others", text), ("services", altered), ("services", text[:-4]), ("services", "é")):
        with pytest.raises(ValueError, match="not a cursor"):
            decode_cursor(list_name, sent)
