"""The conversion of a value between the CRM's format and the registry's (rules: registry 4.3)."""

import pytest

from balcao.core.values.phones import Phone, parse_phone
from balcao.registry.mirror.translation import (
    ETHNICITY,
    format_ethnicity,
    format_gender,
    has_same_digits,
    strip_accents,
    to_crm_ethnicity,
    to_crm_gender,
)
from tests.support.rules import read_values


@pytest.mark.parametrize(("code", "text"), read_values("registry", "4.3 gender"))
def test_a_gender_that_the_crm_knows_is_one_to_one(code: str, text: str) -> None:
    assert (format_gender(code), to_crm_gender(text)) == (text, code)


def test_any_other_gender_is_the_crms_other_and_is_shown_as_it_was_said() -> None:
    assert to_crm_gender("Como me vejo") == "Outro_Prefere_nao_informar"
    assert format_gender("Outro_Prefere_nao_informar") == "Prefiro não informar"
    assert format_gender("Como me vejo") == "Como me vejo"


def test_an_ethnicity_is_shown_without_accents_and_capitals_and_sent_with_them() -> None:
    sent = [to_crm_ethnicity(option) for option in ETHNICITY]
    assert sent == ["Branca", "Preta", "Parda", "Amarela", "Indígena", "Outra"]
    assert tuple(map(format_ethnicity, sent)) == ETHNICITY
    assert format_ethnicity("INDIGENA") == "indigena"


def test_an_ethnicity_that_is_not_listed_is_shown_as_it_is() -> None:
    assert format_ethnicity("Não Declarada") == "Não Declarada"


def test_accents_go_and_letters_stay() -> None:
    assert strip_accents("Ação é Índio, não ñ") == "Acao e Indio, nao n"


@pytest.mark.parametrize(("register", "parts"), read_values("registry", "4.3 phone"))
def test_a_phone_is_taken_apart(register: str, parts: list[str] | None) -> None:
    assert parse_phone(register) == (None if parts is None else Phone(*parts))


def test_phones_are_the_same_by_their_digits() -> None:
    assert has_same_digits("+55 (21) 98888-7777", "5521988887777")
    assert has_same_digits("5521988887777", "+55 (21) 98888-7777")
    assert not has_same_digits("5521988887777", "5521988887778")
