"""Each value in the CRM's form and in the registry's (rules: registry 4.3)."""

import pytest

from balcao.registry.mirror.translation import (
    ETHNICITY,
    Phone,
    ethnicity_for_crm,
    ethnicity_shown,
    gender_for_crm,
    gender_shown,
    phone_shown,
    same_digits,
    without_accents,
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
    assert (gender_shown(code), gender_for_crm(text)) == (text, code)


def test_any_other_gender_is_the_crms_other_and_is_shown_as_it_was_said() -> None:
    assert gender_for_crm("Como me vejo") == "Outro_Prefere_nao_informar"
    assert gender_shown("Outro_Prefere_nao_informar") == "Prefiro não informar"
    assert gender_shown("Como me vejo") == "Como me vejo"


def test_an_ethnicity_is_shown_without_accents_and_capitals_and_sent_with_them() -> None:
    sent = [ethnicity_for_crm(option) for option in ETHNICITY]
    assert sent == ["Branca", "Preta", "Parda", "Amarela", "Indígena", "Outra"]
    assert tuple(map(ethnicity_shown, sent)) == ETHNICITY
    assert ethnicity_shown("INDIGENA") == "indigena"


def test_an_ethnicity_that_is_not_listed_is_shown_as_it_is() -> None:
    assert ethnicity_shown("Não Declarada") == "Não Declarada"


def test_accents_go_and_letters_stay() -> None:
    assert without_accents("Ação é Índio, não ñ") == "Acao e Indio, nao n"


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
    assert phone_shown(register) == shown


def test_phones_are_the_same_by_their_digits() -> None:
    assert same_digits("+55 (21) 98888-7777", "5521988887777")
    assert same_digits("5521988887777", "+55 (21) 98888-7777")
    assert not same_digits("5521988887777", "5521988887778")
