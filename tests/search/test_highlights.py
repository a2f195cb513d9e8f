"""Which words are marked, however they are found (rules: search 4.6, highlights)."""

import html

from hypothesis import example, given, settings
from hypothesis import strategies as st

from balcao.search.public_search import highlights
from tests.support.proof_sizes import EXAMPLES

# What makes a word long or short: letters, digits, dots and what stands between words.
PIECES = [*"vaga sus S U é ß ² 1 000 1.000 S.U.S. A.B . _ , -".split(), " ", "\n", "\u00a0"]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@settings(max_examples=EXAMPLES)
@given(texts, texts)
@example("S.U.S. e SUS.", "SUS")
def test_exactly_the_words_of_a_text_that_are_wanted_are_marked(text: str, other: str) -> None:
    words = list(highlights.WORD.finditer(text))
    wanted = set(highlights.WORD.findall(other)) | {match[0] for match in words[::2]}
    expected, at = "", 0
    for match in words:
        if match[0] in wanted:
            expected += f"{html.escape(text[at : match.start()])}<mark>{html.escape(match[0])}</mark>"
            at = match.end()
    assert highlights.mark_words(text, wanted) == expected + html.escape(text[at:])


@settings(max_examples=EXAMPLES)
@given(st.lists(texts, max_size=4))
def test_a_page_has_the_words_of_each_of_its_texts(page: list[str]) -> None:
    assert highlights.list_words(page) == {word for text in page for word in highlights.WORD.findall(text)}
