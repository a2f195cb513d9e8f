"""Lemmas of Portuguese words, and the verbs from which nouns derive (rules: search 4.6, words)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.search.portuguese.lexicon import MOST_LEMMAS, fold, open_lexicon

LEXICON = open_lexicon()
LETTERS = st.text("abcdeimnorstuvzáãçéíõ", min_size=1, max_size=14)


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("paguei", "pagar"),
        ("podas", "poda"),
        ("vacinações", "vacinacao"),
        ("animais", "animal"),
        ("mãos", "mao"),
        ("papéis", "papel"),
        ("caiu", "cair"),
        ("festas", "festa"),  # also a name
        ("ações", "acao"),
        ("ciclovias", "ciclovia"),  # the lexicon has neither form
        ("zzyzx", "zzyzx"),
    ],
)
def test_a_form_has_its_lemma_first(form: str, lemma: str) -> None:
    assert LEXICON.list_lemmas(form)[0] == lemma


def test_a_typed_accent_decides_and_a_missing_one_may_be_omitted() -> None:
    assert LEXICON.list_lemmas("pública") == ("publico",)
    assert LEXICON.list_lemmas("publica") == ("publicar", "publico")
    assert LEXICON.list_lemmas("orgaos") == LEXICON.list_lemmas("órgãos")


@pytest.mark.parametrize(
    ("noun", "verb"),
    [
        ("pagamento", "pagar"),
        ("rachadura", "rachar"),
        ("vacinacao", "vacinar"),
        ("atendimento", "atender"),
        ("transferencia", "transferir"),
        ("morador", "morar"),
        ("parcela", "parcelar"),
        ("pagar", "pagar"),
    ],
)
def test_a_noun_has_the_verb_that_it_derives_from_as_its_root(noun: str, verb: str) -> None:
    assert LEXICON.find_root(noun) == verb


@pytest.mark.parametrize("noun", ["momento", "casa", "crianca", "posto", "poste"])
def test_a_noun_that_only_looks_like_a_derivation_is_its_own_root(noun: str) -> None:
    assert LEXICON.find_root(noun) == noun


@pytest.mark.parametrize("noun", ["mato", "pinto", "placa", "porta", "filho"])
def test_a_noun_with_a_diminutive_and_another_noun_for_the_action_is_its_own_root(noun: str) -> None:
    assert LEXICON.find_root(noun) == noun


@pytest.mark.parametrize(("noun", "verb"), [("ajuda", "ajudar"), ("abrigo", "abrigar"), ("poda", "podar")])
def test_the_only_noun_for_an_action_has_its_verb_as_root(noun: str, verb: str) -> None:
    assert LEXICON.find_root(noun) == verb


@pytest.mark.parametrize(("word", "exists"), [("podar", True), ("paga", True), ("vacinaçao", False), ("zzyzx", False)])
def test_the_lexicon_has_words_without_their_accents(word: str, exists: bool) -> None:
    assert LEXICON.has(word) == exists


@given(word=LETTERS)
def test_every_word_has_folded_lemmas_and_a_root_that_derives_from_nothing_else(word: str) -> None:
    lemmas = LEXICON.list_lemmas(word)
    assert 1 <= len(lemmas) <= MOST_LEMMAS
    for lemma in lemmas:
        assert lemma == fold(lemma)
        root = LEXICON.find_root(lemma)
        assert LEXICON.find_root(root) == root


@given(text=st.text(max_size=30))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
