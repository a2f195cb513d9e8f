"""The names of services that match a citizen's unfinished query (rules: search 2.5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.search.public_search.suggestions import MOST_NAMES, complete_names
from balcao.search.public_search.synonyms import Synonyms
from tests.search.small_catalogue import SmallCatalogue, make_service

SYNONYMS = Synonyms([("iptu", "imposto predial"), ("patinete", "bicicleta")])
NAMES = [
    "Carnê do imposto predial",
    "Isenção do imposto predial",
    "Poda de árvore",
    "Aluguel de bicicleta",
    *(f"Vaga em creche {number}" for number in range(12)),
]
CATALOGUE = SmallCatalogue(
    *NAMES,
    make_service("Poda secreta", status=0),
    make_service("Poda por agentes", agents={"exclusive_for_agents": True}),
    make_service("Vistoria", resumo="Poda de árvore na calçada"),
    phrases={"Poda de árvore": ["galho caindo"]},
    popularity={"Isenção do imposto predial": 0.9},
    synonyms=SYNONYMS,
)


def complete(typed: str) -> list[str]:
    return complete_names(CATALOGUE.index, SYNONYMS, typed)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("po", ["Poda de árvore"]),
        ("poda arv", ["Poda de árvore"]),
        ("ARVORE pod", ["Poda de árvore"]),
        ("galho", ["Poda de árvore"]),
        ("iptu", ["Isenção do imposto predial", "Carnê do imposto predial"]),
        ("ipt", ["Isenção do imposto predial", "Carnê do imposto predial"]),
        ("patin", ["Aluguel de bicicleta"]),
        ("zzyzx", []),
        ("poda zzyzx", []),
        ("", []),
        ("de", []),
    ],
)
def test_names_have_all_typed_words_or_begin_like_them(typed: str, names: list[str]) -> None:
    assert complete(typed) == names


def test_only_so_many_names_are_suggested() -> None:
    assert len(complete("vaga")) == MOST_NAMES == 8


@given(name=st.sampled_from(NAMES[:4]), length=st.integers(1, 40))
def test_every_beginning_of_a_name_suggests_it(name: str, length: int) -> None:
    typed = name[:length]
    assert name in complete(typed) or not complete(typed.split()[-1]) or len(complete(typed)) == MOST_NAMES


@given(typed=st.text(max_size=30))
def test_no_text_breaks_the_suggestions(typed: str) -> None:
    assert len(complete(typed)) <= MOST_NAMES
