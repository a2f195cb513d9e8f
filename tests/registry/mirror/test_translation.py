"""Each value in the CRM's form and in the registry's (rules: registry 4.3)."""

import pytest

from balcao.registry.mirror.translation import (
    ETHNICITY,
    Phone,
    format_ethnicity,
    format_gender,
    has_same_digits,
    parse_phone,
    strip_accents,
    to_crm_ethnicity,
    to_crm_gender,
)

GENDERS = {
    "Homem_cisgenero": "Homem cisgênero",
    "Mulher_cisgenero": "Mulher cisgênero",
    "Homem_transgenero": "Homem transgênero",
    "Mulher_transgenero": "Mulher transgênero",
    "Nao_binario": "Não binário",
}


@pytest.mark.parametrize(("code", "text"), GENDERS.items())
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


@pytest.mark.parametrize(
    ("register", "shown"),
    [
        ("", Phone("", "", "")),
        ("2133334444", Phone("55", "21", "33334444")),
        ("(21) 98888-7777", Phone("55", "21", "988887777")),
        ("552133334444", Phone("55", "21", "33334444")),
        ("+55 21 98888-7777", Phone("55", "21", "988887777")),
        ("55988887777", Phone("55", "55", "988887777")),
        ("+351 912 345 678", Phone("351", "", "912345678")),
        ("+351 91", None),
        ("sem telefone", None),
        ("99999999999999", None),
    ],
)
def test_a_phone_is_taken_apart(register: str, shown: Phone | None) -> None:
    assert parse_phone(register) == shown


def test_phones_are_the_same_by_their_digits() -> None:
    assert has_same_digits("+55 (21) 98888-7777", "5521988887777")
    assert has_same_digits("5521988887777", "+55 (21) 98888-7777")
    assert not has_same_digits("5521988887777", "5521988887778")
