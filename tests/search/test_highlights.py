"""The words that highlights mark in a result (rules: search 4.6, highlights)."""

import html

from hypothesis import example, given, settings
from hypothesis import strategies as st

from balcao.search.portuguese.analysis import read_word
from balcao.search.public_search import highlights
from tests.search.small_catalogue import SmallCatalogue, make_service
from tests.support.proof_sizes import EXAMPLES

# Characters of words, dots and separators.
PIECES = [*"vaga vagas sus S U pé ß ² 1 000 1.000 S.U.S. A.B . _ , - < &".split(), " ", "\n", "\u00a0"]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def list_roots(word: str) -> tuple[str, ...]:
    return read_word(word.replace(".", "").lower()).roots


@settings(max_examples=EXAMPLES)
@given(texts, texts)
@example("S.U.S. e SUS.", "SUS")
@example("S.U.S.pé", "")
def test_exactly_the_words_with_a_wanted_root_are_marked(text: str, other: str) -> None:
    words = list(highlights.WORD.finditer(text))
    roots = {root for word in highlights.WORD.findall(other) for root in list_roots(word)}
    roots |= {root for match in words[::2] for root in list_roots(match[0])}
    expected, at = "", 0
    for match in words:
        if not roots.isdisjoint(list_roots(match[0])):
            expected += f"{html.escape(text[at : match.start()])}<mark>{html.escape(match[0])}</mark>"
            at = match.end()
    expected += html.escape(text[at:])
    assert highlights.mark_words(text, frozenset(roots)) == expected
    # Texts that are too long for the cache are searched by a different function.
    blank = " " * highlights.LONGEST_CACHED
    assert highlights.mark_words(text + blank, frozenset(roots)) == expected + blank


def test_fragments_are_two_of_160_characters() -> None:
    text = " ".join(["palavra"] * 40 + ["poda"] + ["palavra"] * 40 + ["poda"] + ["palavra"] * 40 + ["poda"])
    fragments = highlights.make_snippet([text], frozenset({"podar"})).split(highlights.ELLIPSIS)
    plain = [fragment.replace("<mark>", "").replace("</mark>", "") for fragment in fragments]
    assert len(plain) == 2
    assert all(150 <= len(fragment) <= 160 for fragment in plain)
    assert 150 <= len(highlights.make_snippet(["palavra " * 60], frozenset({"nada"}))) <= 160


def test_a_result_marks_forms_synonyms_and_corrections_of_the_query() -> None:
    service = make_service("Poda de árvores", resumo="Podar <árvore> doente.", descricao_completa="Sem outra palavra.")
    catalogue = SmallCatalogue(service)
    [found] = catalogue.search("podas arvre").services
    assert found.marked is not None
    assert found.marked.title == "<mark>Poda</mark> de <mark>árvores</mark>"
    assert found.marked.snippet == "<mark>Podar</mark> &lt;<mark>árvore</mark>&gt; doente."
    [unmarked] = catalogue.search("poda", highlight=False).services
    assert unmarked.marked is None
