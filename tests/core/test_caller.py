"""Who is calling, as the claims of a verified token tell it."""

from typing import Any

import pytest

from balcao.core.access.caller import Caller, from_claims
from balcao.core.values.cpf import Cpf

ANA, BRUNO = "90000000175", "90000000256"
CLAIMS = {
    "iss": "https://entrada.example/realms/cidade/",
    "sub": " s-1 ",
    "azp": " portal ",
    "cpf": ANA,
    "name": " Ana ",
    "email": " ana@casa.example ",
    "scope": "openid  profile",
    "exp": 12,
}


def of(**claims: Any) -> Caller:
    return from_claims({"exp": 0} | claims)


def test_every_claim_has_its_place() -> None:
    assert from_claims(CLAIMS) == Caller(
        "s-1",
        "portal",
        Cpf(ANA),
        "Ana",
        "ana@casa.example",
        frozenset({"openid", "profile"}),
        frozenset(),
        12.0,
        "https://entrada.example/realms/cidade",
    )


def test_a_token_without_the_optional_claims_has_empty_ones() -> None:
    assert of() == Caller("", "", None, None, None, frozenset(), frozenset(), 0.0, "")
    assert of(sub=5, azp=[], name={}, email=True, scope=7, iss=None) == of()
    assert of(name=" ", email="") == of()


def test_an_issuer_is_the_same_with_and_without_a_slash_at_its_end() -> None:
    assert of(iss="https://entrada.example/realms/X/").issuer == "https://entrada.example/realms/X"


def test_a_caller_is_counted_by_issuer_client_and_subject() -> None:
    assert from_claims(CLAIMS).key == "https://entrada.example/realms/cidade\0portal\0s-1"
    assert of().key == "\0\0"


@pytest.mark.parametrize("name", ["cpf", "CPF", "preferred_username"])
def test_a_person_is_known_by_a_valid_number_in_any_of_three_claims(name: str) -> None:
    assert of(**{name: ANA}).cpf == Cpf(ANA)
    assert of(**{name: ANA}).is_person
    assert not of(**{name: "90000000100"}).is_person


def test_of_several_numbers_the_first_claim_counts() -> None:
    assert of(preferred_username=BRUNO, CPF=BRUNO, cpf=ANA).cpf == Cpf(ANA)
    assert of(preferred_username=BRUNO, CPF=ANA).cpf == Cpf(ANA)


def test_a_name_is_shown_and_in_its_place_the_parts_or_the_client() -> None:
    assert of(name="Ana Moreira", given_name="X", azp="portal").display_name == "Ana Moreira"
    assert of(given_name=" Ana ", family_name="Moreira", azp="portal").display_name == "Ana Moreira"
    assert of(family_name="Moreira", azp="portal").display_name == "Moreira"
    assert of(azp="portal").display_name == "portal"


def test_roles_come_from_the_realm_and_from_the_clients_that_may_bring_some() -> None:
    claims = {
        "realm_access": {"roles": ["admin", 5, None]},
        "resource_access": {"balcao": {"roles": ["leitor"]}, "outro": {"roles": ["alheio"]}, "nada": {}, "mal": "x"},
    }
    assert of(**claims).roles == {"admin", "leitor", "alheio"}
    assert from_claims({"exp": 0} | claims, frozenset({"balcao"})).roles == {"admin", "leitor"}
    assert of(realm_access={"roles": "admin"}, resource_access=[]).roles == frozenset()


def test_nothing_of_a_person_is_in_the_text_of_a_caller() -> None:
    text = repr(from_claims(CLAIMS))
    for value in (ANA, "Ana", "ana@casa.example"):
        assert value not in text
