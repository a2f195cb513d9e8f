"""Which words are taken for a slip of the pen, and which are left alone (rules: search 4.6, corrections)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.search.vocabulary import spelling


@pytest.mark.parametrize(
    ("typed", "known", "slips"),
    [
        ("vga", "vaga", None),  # three letters are never corrected
        ("poad", "poda", 1),
        ("pda", "poda", None),
        ("podda", "poda", 1),
        ("cama", "casa", None),
        ("maria", "marca", None),
        ("multta", "multa", 1),
        ("xapa", "chapa", 1),  # they sound alike
        ("matricla", "matricula", 1),
        ("matricila", "matricula", 1),
        ("propina", "propria", None),
        ("licensa", "licenca", 1),
        ("castrassao", "castracao", 2),
        ("alvarras", "alvara", None),
        ("endrerco", "endereco", None),
        ("funcinamneto", "funcionamento", 2),
        ("funcinamnet", "funcionamento", None),
    ],
)
def test_a_word_is_near_another_by_its_slips_and_its_length(typed: str, known: str, slips: int | None) -> None:
    assert spelling.count_slips(typed, known) == slips


@given(word=st.text("abcdehimorstuz", min_size=4, max_size=20), place=st.integers(0, 18))
def test_neighbours_exchanged_are_one_slip_at_every_length(word: str, place: int) -> None:
    at = place % (len(word) - 1)
    typed = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    assert spelling.count_slips(typed, word) in (0, 1)


@pytest.mark.parametrize(
    ("query", "left_alone"),
    [
        ("lei maria da penha", ["maria", "da", "penha"]),
        ("Lei do Silêncio urbano em vigor agora", ["do", "Silêncio", "urbano", "em"]),
        ("rua João Pessoa", ["João"]),
        ("poda de árvore", []),
    ],
)
def test_names_of_people_and_laws_are_left_alone(query: str, left_alone: list[str]) -> None:
    written = query.split()
    assert [written[place] for place in spelling.list_left_alone(written)] == left_alone
