"""The criteria of a job in the words of citizens, without a code."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.employability.hiring.content.merge import ACCESSIBILITY
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.selection.eligibility.criteria import EXCLUSIVE
from balcao.employability.selection.eligibility.schemas import Code
from balcao.site.mine.client import Criterion
from balcao.site.mine.labels import REMEDIES, TERMS, describe_criterion, judge_criterion
from tests.employability.test_demo import SEEDED

# Codes contain an underscore. A company may write any other text, for example as the name of a neighbourhood.
CODE = re.compile(r"\w_\w|\bpcd\b", re.IGNORECASE)
TEXTS = st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1).filter(lambda text: not CODE.search(text))
LISTS = st.lists(TEXTS, min_size=1).map(", ".join)
AGES = st.integers(1, 120).map(str)
LANGUAGES = st.sampled_from(
    [f"{language}: {level}" for language in SEEDED[Kind.LANGUAGE] for level in SEEDED[Kind.LANGUAGE_LEVEL]]
)
DEMANDS = {
    Code.TERMS: st.text(),
    Code.LOWEST_AGE: AGES,
    Code.HIGHEST_AGE: AGES,
    Code.SCHOOLING: st.sampled_from(SEEDED[Kind.SCHOOLING]),
    Code.LANGUAGE: LANGUAGES,
    Code.NEIGHBOURHOOD: LISTS,
    Code.COURSE: LISTS,
    Code.DISABILITY: st.sampled_from(sorted(ACCESSIBILITY)),
}
CRITERIA = st.sampled_from(list(Code)).flatmap(
    lambda code: st.builds(Criterion, st.just(str(code)), DEMANDS[code], st.booleans())
)


@given(CRITERIA)
def test_no_criterion_shows_a_code(one: Criterion) -> None:
    shown = f"{describe_criterion(one)}: {judge_criterion(one).text}"
    assert not CODE.search(shown)
    assert "Outra condição" not in shown
    assert judge_criterion(one).text.startswith(("você atende", "a empresa")) == one.atendido
    # The page has its own button for accepting the terms.
    assert one.criterio in REMEDIES or one.criterio == TERMS


@given(st.text(min_size=1), st.text(min_size=1), st.booleans())
def test_an_unknown_criterion_shows_neither_its_code_nor_its_value(code: str, value: str, is_met: bool) -> None:
    assert describe_criterion(Criterion(f"x_{code}", value, is_met)) == "Outra condição da vaga"


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("escolaridade", "Fundamental completo", "Ter ensino fundamental completo ou mais"),
        ("escolaridade", "Pós-graduação/MBA", "Ter pós-graduação/MBA ou mais"),
        ("idioma", "Inglês: Básico", "Falar inglês, nível básico ou mais"),
        ("idioma", "Libras: Nativo/Fluente", "Falar libras, nível nativo/fluente ou mais"),
        ("bairro", "Centro, Farol, Vila Nova", "Morar em Centro, Farol ou Vila Nova"),
        ("area_formacao", "TI", "Ter formação em TI"),
        ("pcd", EXCLUSIVE, "Ser pessoa com deficiência"),
    ],
)
def test_a_criterion_is_a_sentence(code: str, value: str, text: str) -> None:
    assert describe_criterion(Criterion(code, value, True)) == text


def test_a_disability_is_verified_by_the_company() -> None:
    assert judge_criterion(Criterion("pcd", EXCLUSIVE, True)).text == "a empresa confere"
    assert judge_criterion(Criterion("pcd", EXCLUSIVE, False)).text == "o seu cadastro diz que não"
    assert judge_criterion(Criterion("idade_maxima", "22", False)).text == "você não atende"
