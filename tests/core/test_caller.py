"""A caller is built from the claims of a verified token."""

from typing import Any

import pytest

from balcao.core.access.caller import Caller, ClaimPolicy, TokenRefused, from_claims
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


MACHINES = ClaimPolicy(machine_clients=frozenset({"portal", "painel-Saude"}))


def of(**claims: Any) -> Caller:
    return from_claims({"sub": "s", "exp": 0} | claims, MACHINES)


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
    assert of() == Caller("s", "", None, None, None, frozenset(), frozenset(), 0.0, "")
    assert of(azp=[], name={}, email=True, scope=7, iss=None) == of()
    assert of(name=" ", email="") == of()


@pytest.mark.parametrize("unreadable", ["\0", "\ud83d"])
def test_what_no_database_could_store_is_read_as_absent(unreadable: str) -> None:
    odd = f"A{unreadable}B"
    assert of(azp=odd, name=odd, email=odd, scope=odd, iss=odd, sid=odd) == of()
    assert of(name=odd, given_name="Ana", family_name=odd).name == "Ana"
    assert of(realm_access={"roles": [odd, "leitor"]}).roles == {"leitor"}
    with pytest.raises(TokenRefused):
        of(sub=odd)


def test_an_issuer_is_the_same_with_and_without_a_slash_at_its_end() -> None:
    assert of(iss="https://entrada.example/realms/X/").issuer == "https://entrada.example/realms/X"


def test_a_token_says_when_it_was_issued_and_of_which_login_it_came() -> None:
    assert (of(iat=7).issued_at, of().issued_at) == (7.0, 0.0)
    assert of(sid="s-1", session_state="s-2").session == "s-1"
    assert of(session_state="s-2").session == "s-2"
    assert of(sid="s-1").session_key != of(sid="s-1", iss="https://x").session_key
    assert len({of().session_key, of(sid="s").session_key, of(sid="s").subject_key}) == 3


def test_a_caller_is_counted_by_issuer_client_and_subject() -> None:
    assert from_claims(CLAIMS).key == "https://entrada.example/realms/cidade\0portal\0s-1"
    assert of().key == "\0\0s"


def test_a_person_is_known_by_the_claim_that_the_installation_names() -> None:
    assert of(cpf=ANA).cpf == of(cpf="900.000.001-75").cpf == Cpf(ANA)
    assert of(cpf=ANA).is_person
    named = ClaimPolicy(cpf_claim="documento")
    assert from_claims({"sub": "s", "exp": 0, "documento": BRUNO, "cpf": ANA}, named).cpf == Cpf(BRUNO)
    assert not of(CPF=ANA).is_person


@pytest.mark.parametrize("content", [None, "", "90000000100", "1" * 11, int(ANA), [ANA], {"cpf": ANA}, True])
def test_a_claim_that_holds_no_valid_number_is_refused_and_never_no_number(content: object) -> None:
    with pytest.raises(TokenRefused) as refused:
        of(cpf=content, azp="portal")
    assert (refused.value.reason, refused.value.code) == ("token-cpf", "token-invalid")


def test_a_user_name_is_somebodys_number_only_where_the_installation_says_so() -> None:
    assert of(preferred_username=ANA).cpf is None
    trusting = ClaimPolicy(cpf_from_username=True)
    assert from_claims({"sub": "s", "exp": 0, "preferred_username": ANA}, trusting).cpf == Cpf(ANA)
    assert from_claims({"sub": "s", "exp": 0, "preferred_username": BRUNO, "cpf": ANA}, trusting).cpf == Cpf(ANA)
    assert from_claims({"sub": "s", "exp": 0, "preferred_username": "ana"}, trusting).cpf is None


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"acr": "1"},
        {"preferred_username": "service-account-painel-Saude"},
        {"preferred_username": None, "upn": "service-account-painel-saude"},
        {"preferred_username": "service-account-painel-saude", "client_id": "painel-Saude", "email_verified": False},
    ],
)
def test_a_token_of_client_credentials_is_a_machines(claims: dict[str, Any]) -> None:
    caller = of(azp="painel-Saude", **claims)
    assert (caller.is_machine, caller.is_person) == (True, False)


@pytest.mark.parametrize(
    "claims",
    [
        {"azp": ""},
        {"azp": None},
        {"cpf": ANA},
        {"sid": "x"},
        {"session_state": "x"},
        {"auth_time": 0},
        {"amr": []},
        {"nonce": None},
        {"name": ""},
        {"given_name": "Ana"},
        {"middle_name": "Maria"},
        {"family_name": "Moreira"},
        {"nickname": "aninha"},
        {"email": "ana@casa.example"},
        {"preferred_username": "ana"},
        {"username": "ana"},
        {"upn": "ana"},
        {"preferred_username": "service-account-outro"},
        {"preferred_username": ["service-account-portal"]},
    ],
    ids=str,
)
def test_any_mark_of_a_login_makes_it_no_machine(claims: dict[str, Any]) -> None:
    assert not of(**{"azp": "portal"} | claims).is_machine


def test_only_listed_clients_are_machines_and_without_a_list_nobody_is() -> None:
    assert of(azp="portal").is_machine
    assert not of(azp="outro").is_machine
    assert not of(azp="PORTAL").is_machine
    unlisted = from_claims({"sub": "s", "exp": 0, "azp": "portal"})
    assert (unlisted.is_machine, unlisted.is_person) == (False, False)


@pytest.mark.parametrize("kind", ["ID", "Refresh", "Logout", "Offline", "refresh"])
def test_a_token_that_is_for_the_client_or_the_provider_is_refused(kind: str) -> None:
    with pytest.raises(TokenRefused) as refused:
        of(typ=kind)
    assert refused.value.reason == "token-type"
    assert of(typ="Bearer") == of(typ="JWT") == of()


@pytest.mark.parametrize("subject", [None, "", " ", 5])
def test_a_token_of_nobody_is_refused(subject: object) -> None:
    with pytest.raises(TokenRefused) as refused:
        of(sub=subject)
    assert refused.value.reason == "token-subject"


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
    named = ClaimPolicy(role_clients=frozenset({"balcao"}))
    assert from_claims({"sub": "s", "exp": 0} | claims, named).roles == {"admin", "leitor"}
    assert from_claims({"sub": "s", "exp": 0} | claims, ClaimPolicy(role_clients=frozenset())).roles == {"admin"}
    assert of(realm_access={"roles": "admin"}, resource_access=[]).roles == frozenset()


def test_administration_is_claimed_only_where_the_installation_lets_tokens_claim_it() -> None:
    claims = {"sub": "s", "exp": 0, "realm_access": {"roles": ["admin", "superadmin", "leitor"]}}
    assert from_claims(claims).roles == {"admin", "superadmin", "leitor"}
    assert from_claims(claims, ClaimPolicy(admin_from_token=False)).roles == {"leitor"}


def test_nothing_of_a_person_is_in_the_text_of_a_caller() -> None:
    text = repr(from_claims(CLAIMS))
    for value in (ANA, "Ana", "ana@casa.example"):
        assert value not in text
