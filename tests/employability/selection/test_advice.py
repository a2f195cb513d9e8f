"""The advice for a person who does not meet a job's criteria (rules: employability 4.4)."""

import pytest

from balcao.employability.selection.eligibility.advice import advise_candidate
from balcao.employability.selection.eligibility.schemas import Code, Criterion


@pytest.mark.parametrize("code", Code)
def test_each_criterion_says_what_to_do(code: Code) -> None:
    told = advise_candidate([Criterion(code, "18")])
    assert any(verb in told for verb in ("Aceite", "corrija", "ponha", "confira", "informe"))
    assert "{" not in told


def test_criteria_of_one_kind_are_one_sentence() -> None:
    failed = [Criterion(Code.LANGUAGE, "Inglês: Avançado"), Criterion(Code.LANGUAGE, "Espanhol: Básico")]
    assert (
        advise_candidate(failed)
        == "A vaga pede Inglês: Avançado ou Espanhol: Básico: ponha o idioma, com o nível, no currículo."
    )


def test_a_long_list_does_not_hide_what_comes_after_it() -> None:
    names = ", ".join(f"Bairro {number}" for number in range(200))
    told = advise_candidate([Criterion(Code.NEIGHBOURHOOD, names), Criterion(Code.TERMS, "2026")])
    assert "Bairro 4 ou outro de 200" in told
    assert told.endswith("Aceite os termos de uso antes de se candidatar.")
