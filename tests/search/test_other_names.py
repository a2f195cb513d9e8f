"""Other names by which people know a service (rules: search 2.3)."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.search.catalogue.other_names import MOST_PHRASES, MOST_SYNONYMS, list_other_names
from balcao.search.portuguese.analysis import fold_label
from balcao.search.public_search.synonyms import Synonyms
from tests.search.staff import Staff

GROUPS = [
    ("IPTU", "imposto predial", "imposto predial e territorial urbano"),
    ("boleto", "guia", "carnê", "talão"),
    ("segunda via", "nova via", "outra via"),
    ("apagar", "excluir", "exclusão"),
]
SYNONYMS = Synonyms(GROUPS)
NAME = "Segunda via do carnê do imposto predial"
_texts = st.text(st.sampled_from("aeiou rstm Iã"), max_size=30)
_words = st.sampled_from(["segunda via", "do", "carnê", "IPTU", "imposto predial", "exclusão", "meu boleto", "Árvore"])


def test_the_last_words_of_a_name_say_what_it_is_about() -> None:
    assert list_other_names(NAME, [], SYNONYMS) == [
        "IPTU",
        "imposto predial e territorial urbano",
        "guia",
        "talão",
        "nova via",
    ]


@pytest.mark.parametrize(
    ("phrase", "is_name"),
    [
        ("boleto do imposto da casa", True),
        ("talão da prefeitura", False),
        ("meu carnê sumiu", False),
        ("perdi o carnê", False),
        ("pagar a casa", False),
        ("código de barras para pagar o imposto", False),
        ("SEGUNDA VIA", False),
    ],
)
def test_a_phrase_is_a_name_if_it_only_names_the_service(phrase: str, is_name: bool) -> None:
    known = list_other_names(NAME, [], SYNONYMS)
    assert list_other_names(NAME, [phrase], SYNONYMS) == [*known, *([phrase] if is_name else [])]


def test_a_synonym_that_is_a_verb_is_no_name() -> None:
    assert list_other_names("Exclusão de cadastro", [], SYNONYMS) == []
    assert list_other_names("Poda de árvore", ["corte de galhos"], SYNONYMS) == ["corte de galhos"]


@given(name=st.lists(_words | _texts, max_size=8).map(" ".join), phrases=st.lists(_words | _texts, max_size=50))
def test_other_names_are_few_and_different(name: str, phrases: list[str]) -> None:
    names = list_other_names(name, phrases, SYNONYMS)
    folded = [fold_label(each) for each in names]
    assert len(names) <= MOST_SYNONYMS + MOST_PHRASES
    assert len(set(folded)) == len(folded)
    assert all(folded)
    assert not any(f" {each} " in f" {fold_label(name)} " for each in folded)


def test_other_names_appear_only_if_they_are_asked_for(http: httpx.Client, staff: Staff) -> None:
    service = staff.publish(nome_servico="Isenção do imposto predial")
    phrases = ["desconto para idosos", "não consigo pagar"]
    assert staff("PUT", f"/services/{service['id']}/phrases", json={"phrases": phrases}).status_code == 200
    paths: list[tuple[str, Callable[[Any], Any]]] = [
        (f"/search/api/v1/search/{service['id']}", lambda body: body),
        (f"/search/api/v1/services/{service['slug']}", lambda body: body),
        (f"/search/api/v2/search/{service['id']}", lambda body: body["data"]),
    ]
    for path, find in paths:
        usual = http.get(path)
        named = http.get(path, params={"include_other_names": "true"})
        shown = find(named.json())
        names = shown.pop("tambem_conhecido_como")
        assert shown == find(usual.json())
        assert names[0] == "IPTU"
        assert names[-1] == "desconto para idosos"
        assert named.headers["ETag"] != usual.headers["ETag"]
        refused = http.get(path, params={"include_other_names": "talvez"})
        assert (refused.status_code, refused.headers["Error-Code"]) == (400, "include_other_names-invalid")
