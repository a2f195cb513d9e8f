"""Texts and queries are converted to words that can be compared (rules: search 4.6, words)."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from balcao.search.portuguese.analysis import (
    LONGEST_TEXT,
    STOP_WORDS,
    fold_label,
    read_word,
    split_words,
    tokenize,
    tokenize_compounds,
)
from balcao.search.portuguese.lexicon import fold
from tests.search.judged import read_forms
from tests.support.proof_sizes import EXAMPLES
from tests.support.rules import read_values

TEXTS = st.text("aeioãõçéslmnrzt 12ª.º-", max_size=40) | st.text(max_size=40)
WORDS = "vaga creche árvore poda quero preciso segunda via médico pagamento de a o".split()


def meets(typed: str, written: str) -> bool:
    """Return whether a typed query matches a text in the index.

    The index contains only each word's most likely root.
    """
    asked, indexed = tokenize(typed), tokenize(written)
    return len(asked) == len(indexed) and all(
        held.roots[0] in query.roots for query, held in zip(asked, indexed, strict=True)
    )


def test_nine_of_ten_forms_that_citizens_type_meet_the_form_of_the_catalogue() -> None:
    pairs = read_forms()
    apart = [(typed, written) for typed, written in pairs if not meets(typed, written) or not tokenize(written)]
    assert len(pairs) >= 100
    assert len(apart) <= len(pairs) // 10, apart


# SQL writes "facel" for "fácil" and "fáceis". The lexicon has no such word.
FOLDED = [(text, folded) for text, folded in read_values("search", "4.6 folding") if "facel" not in folded]


@pytest.mark.parametrize(("text", "folded"), FOLDED)
def test_a_text_has_the_words_of_its_folded_form(text: str, folded: str) -> None:
    """The staff list folds text in SQL, which also removes plurals.

    The analysis must find the same words in the folded text as in the original.
    """
    assert meets(folded, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2ª via do 1.º carnê, 3a", ["2", "via", "do", "1", "carnê", "3"]),
        ("5A VIA", ["5", "via"]),
        ("Lei nº 1.204 e I.P.T.U.", ["lei", "no", "1204", "e", "iptu"]),
        ("pré-natal / meio–ambiente", ["pré", "natal", "meio", "ambiente"]),
        ("“Ônibus” 🚌 … × ½", ["ônibus", "1", "2"]),
        ("¼o 4ºandar", ["1", "4", "4andar"]),
        ("a\u0301gua ﬁla", ["água", "fila"]),
        (" ' -- ; ", []),
    ],
)
def test_a_text_is_split_into_its_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_a_hyphenated_word_is_also_one_word() -> None:
    assert [token.folded for token in tokenize_compounds("Habite-se e pré-natal")] == ["habitese", "prenatal"]


def test_stop_words_are_left_out_and_words_of_asking_are_known() -> None:
    tokens = tokenize("quero a vaga de creche")
    assert [(token.folded, token.is_asking) for token in tokens] == [
        ("quero", True),
        ("vaga", False),
        ("creche", False),
    ]


def test_a_visa_is_not_a_form_of_seeing() -> None:
    assert read_word("vejo").is_asking
    assert not read_word("visto").is_asking
    assert read_word("visto").roots == read_word("vistos").roots


def test_a_diminutive_of_a_participle_is_not_from_the_verb() -> None:
    assert read_word("pegadinha").roots == read_word("pegadinha").lemmas
    assert "salgar" not in read_word("salgadinhos").roots
    for diminutive, noun in [("bichinhos", "bicho"), ("feirinha", "feira"), ("plaquinha", "placa")]:
        assert read_word(diminutive).roots == read_word(noun).roots


@settings(max_examples=EXAMPLES)
@given(text=TEXTS)
@example("0Ä 1ạ")
def test_the_words_of_folded_words_are_the_same(text: str) -> None:
    folded = [token.folded for token in tokenize(text)]
    again = [token.folded for token in tokenize(" ".join(folded))]
    assert again == [word for word in folded if word not in STOP_WORDS]


@settings(max_examples=EXAMPLES)
@given(texts=st.lists(st.sampled_from(WORDS), max_size=8))
def test_a_word_does_not_depend_on_the_words_around_it(texts: list[str]) -> None:
    assert tokenize(" ".join(texts)) == [token for text in texts for token in tokenize(text)]


@given(text=TEXTS)
def test_a_label_is_compared_without_accents_case_and_signs(text: str) -> None:
    label = fold_label(text)
    assert fold_label(label) == label
    assert fold_label(f"  {text.upper()}- ") == fold_label(text.upper())
    assert label == fold(label)


def test_only_the_beginning_of_a_long_text_has_words() -> None:
    assert len(split_words("a " * LONGEST_TEXT)) == LONGEST_TEXT // 2
