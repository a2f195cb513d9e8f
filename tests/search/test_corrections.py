"""Words that the search corrects or completes, and words that it leaves as typed (rules: search 4.6, corrections)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.search.portuguese.spelling import (
    LAW_NAME,
    SHORT,
    SHORTEST_CORRECTED,
    is_sensitive,
    list_near_spellings,
    list_protected,
    spell_sound,
    spell_sounds,
)
from balcao.search.public_search.corrections import (
    CORRECTION_WEIGHT,
    LONGEST_CORRECTED,
    MOST_CORRECTED,
    MOST_CORRECTIONS,
    SHORTEST_PREFIX,
    complete_word,
    correct_query,
)
from balcao.search.public_search.query import parse_query
from balcao.search.public_search.synonyms import SYNONYM_WEIGHT, Synonyms
from tests.search.small_catalogue import SmallCatalogue

SYNONYMS = Synonyms(
    [("castração", "esterilização"), ("patinete", "bicicleta elétrica"), ("obra", "licença de casa própria")]
)
CATALOGUE = SmallCatalogue(
    "Poda de árvore",
    "Matrícula escolar",
    "Matrícula de idosos",
    "Vacinação",
    "Castração de gatos",
    "Licença ambiental",
    "Certidão de obra",
    "Vaga em creche",
    "Multa de trânsito",
    "Casa própria",
    "Funcionamento",
    synonyms=SYNONYMS,
)
LETTERS = st.text("abcdeghimnoprstuvz", min_size=4, max_size=20)


def correct(query: str) -> dict[str, str]:
    return dict(correct_query(CATALOGUE.index, parse_query(query, SYNONYMS), SYNONYMS)[1])


@pytest.mark.parametrize(
    ("typed", "correction"),
    [
        ("podda", "poda"),
        ("multta", "multa"),
        ("sertidao", "certidao"),  # the two sound alike
        ("matricla", "matricula"),
        ("matricila", "matricula"),  # the wrong letter changes the sound of the c
        ("licensa", "licenca"),
        ("castrassao", "castracao"),
        ("vacinasao", "vacinacao"),
        ("avrore", "arvore"),  # two neighbouring letters are swapped
    ],
)
def test_a_mistyped_word_has_its_nearest_known_word(typed: str, correction: str) -> None:
    assert correct(f"{typed} municipal") == {typed: correction}


@pytest.mark.parametrize(
    "typed",
    [
        "vga",  # too short for a correction
        "pda",
        "cama",  # known words
        "propina",
        "maria",  # a name
        "crexe1",  # contains a digit
        "funcinamnet",  # two letters are missing
        "vacina",
        "esterilização",  # known from the synonyms
        "ztricula",  # the first two letters are wrong
    ],
)
def test_other_words_are_left_alone(typed: str) -> None:
    assert correct(f"{typed} municipal") == {}


@pytest.mark.parametrize("query", ["lei mariia da pehna", "drogra OR x", '"podda de arvre"', "-podda"])
def test_names_of_laws_phrases_and_exclusions_are_not_corrected(query: str) -> None:
    assert "podda" not in correct(query)
    assert "pehna" not in correct(query)


def test_a_half_typed_last_word_is_completed_without_a_correction() -> None:
    found = CATALOGUE.search("vaga matric")
    assert CATALOGUE.list_results("matric") != []
    assert found.suggestion is None
    assert correct("escolar matric") == {}
    assert correct("matricla escolar") != {}


def test_a_corrected_search_suggests_the_corrected_query_and_is_called_any_term() -> None:
    found = CATALOGUE.search('podda -"casa própria" de arvore')
    assert found.suggestion == 'poda -"casa própria" de arvore'
    assert found.match == "any_term"


def test_only_the_first_unknown_words_are_corrected() -> None:
    assert len(correct("podda multta matricla licensa vacinasao fim")) == MOST_CORRECTED == 4


def test_a_correction_has_its_synonyms_and_counts_less() -> None:
    query, _ = correct_query(CATALOGUE.index, parse_query("castrassao gato", SYNONYMS), SYNONYMS)
    alternatives = query.terms[0].alternatives
    assert {each.weight for each in alternatives} == {CORRECTION_WEIGHT}
    assert ("esterilizar",) in {each.roots for each in alternatives}


@pytest.mark.parametrize(
    "typed", ["licensa de casa própria", "licença da casa propr", "multa, licença para casa propria"]
)
def test_a_corrected_query_has_synonyms_of_several_words(typed: str) -> None:
    assert "Certidão de obra" in CATALOGUE.list_results(typed)


def test_a_synonym_of_several_words_with_a_correction_counts_less() -> None:
    query, _ = correct_query(CATALOGUE.index, parse_query("multa licensa casa própria", SYNONYMS), SYNONYMS)
    assert [term.folded for term in query.terms] == ["multa", "licensa casa propria"]
    weights = {each.roots: each.weight for each in query.terms[1].alternatives}
    assert weights[("obrar",)] == CORRECTION_WEIGHT * SYNONYM_WEIGHT
    assert max(weights.values()) == CORRECTION_WEIGHT


def test_a_phrase_and_an_alternative_are_never_part_of_a_synonym() -> None:
    for typed in ('"licença" caza própria', "multa OR licensa casa própria"):
        query, _ = correct_query(CATALOGUE.index, parse_query(typed, SYNONYMS), SYNONYMS)
        assert ("obrar",) not in {each.roots for term in query.terms for each in term.alternatives}


def test_a_word_is_completed_from_names_then_from_synonyms() -> None:
    assert complete_word(CATALOGUE.index, "matri", SYNONYMS) == ["matricula"]
    assert complete_word(CATALOGUE.index, "patin", SYNONYMS) == ["patinete"]
    assert len(complete_word(CATALOGUE.index, "c", SYNONYMS)) == MOST_CORRECTIONS
    assert (SHORTEST_PREFIX, SHORTEST_CORRECTED, SHORT, LONGEST_CORRECTED) == (3, 5, 6, 30)


@given(word=LETTERS, place=st.integers(0, 18), letter=st.sampled_from("abcdehiorst"), slip=st.integers(0, 3))
def test_one_slip_in_a_sound_is_near(word: str, place: int, letter: str, slip: int) -> None:
    sound = spell_sound(word)
    at = place % max(len(sound) - 1, 1)
    typed = [
        sound[:at] + sound[at + 1 :],
        sound[:at] + letter + sound[at:],
        sound[:at] + letter + sound[at + 1 :],
        sound[:at] + sound[at + 1 : at + 2] + sound[at : at + 1] + sound[at + 2 :],
    ][slip]
    assert sound in {typed, *list_near_spellings(typed)}


@given(words=st.lists(LETTERS))
def test_the_sounds_of_several_words_are_those_of_each_word(words: list[str]) -> None:
    assert spell_sounds(words) == ([spell_sound(word) for word in words] or [""])


@pytest.mark.parametrize(
    ("query", "protected"),
    [
        ("lei maria da penha", {"maria", "da", "penha"}),
        ("lei do silencio urbano em vigor agora", {"do", "silencio", "urbano", "em"}),
        ("rua joao pessoa", {"joao"}),
        ("fui estuprada", {"estuprada"}),
        ("poda de arvore", set()),
    ],
)
def test_names_of_people_and_laws_and_sensitive_words_are_protected(query: str, protected: set[str]) -> None:
    assert list_protected(query.split()) == protected
    assert LAW_NAME == 4


@pytest.mark.parametrize("word", ["estupro", "suicidio", "cocaina", "aborto", "racismo"])
def test_sensitive_words_are_known(word: str) -> None:
    assert is_sensitive(word)
    assert not is_sensitive("poda")
