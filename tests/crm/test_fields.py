"""The map between our fields and the CRM's in both directions, and the file that overrides field names."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.crm.fields import FieldMap
from balcao.settings import SettingsError

MAP = FieldMap.load()
WRITABLE = sorted(
    MAP.account.keys() - {"accountId", "cpf", "nome", "idioma", "isTourist", "contaOrigem", "complemento"}
)
words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)
dados = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(WRITABLE, words),
        "idioma": st.lists(words, min_size=1, max_size=3),
        "isTourist": st.booleans(),
        "endereco": st.dictionaries(st.sampled_from(sorted(MAP.address)), words, min_size=1),
    },
)


@given(dados)
def test_what_is_written_is_read_back(written: dict[str, Any]) -> None:
    read = MAP.to_cidadao(MAP.to_crm(written), [])
    assert {key: read[key] for key in written} == written


@given(dados)
def test_an_echo_says_what_was_written(written: dict[str, Any]) -> None:
    assert MAP.from_crm(MAP.to_crm(written)) == written


@pytest.mark.parametrize(
    ("nome", "first", "last"),
    [
        ("Ana Beatriz Moreira", "Ana", "Beatriz Moreira"),
        ("Cher", None, "Cher"),
        ("  Ana   Moreira ", "Ana", "Moreira"),
        ("Não informado", "Não", "informado"),
    ],
)
def test_a_name_is_split_after_its_first_word(nome: str, first: str | None, last: str) -> None:
    assert MAP.to_crm({"nome": nome}) == {"FirstName": first, "LastName": last}


@pytest.mark.parametrize("nothing", [None, ""])
def test_null_and_empty_text_clear(nothing: str | None) -> None:
    assert MAP.to_crm({"email": nothing, "endereco": {"cep": nothing}}) == {
        "PersonEmail": None,
        "PersonMailingPostalCode": None,
    }
    assert MAP.to_crm({"idioma": []}) == {"Idioma__c": None}


@pytest.mark.parametrize("key", ["cpf", "accountId", "desconhecido", "consentimento"])
def test_what_is_never_written_is_an_error_of_the_caller(key: str) -> None:
    with pytest.raises(KeyError):
        MAP.to_crm({key: "x"})


def test_what_the_crm_does_not_have_is_left_out() -> None:
    assert MAP.to_cidadao({"Id": "001", "CPF__c": "9", "Name": "Ana", "PersonEmail": None, "Phone": ""}, []) == {
        "accountId": "001",
        "cpf": "9",
        "nome": "Ana",
        "consentimento": [],
        "endereco": {},
        "idioma": [],
        "isTourist": False,
    }


def test_a_consent_shows_the_members_that_it_has() -> None:
    record = {"Categoria__c": "saude", "Canal__c": None, "Status__c": "IN", "Conta__c": "001"}
    assert MAP.to_cidadao({}, [record])["consentimento"] == [{"categoria": "saude", "status": "IN"}]


def test_a_file_replaces_names_and_leaves_the_others(tmp_path: Path) -> None:
    file = tmp_path / "map.toml"
    file.write_text('[account]\nemail = "Email_do_cidadao__c"\n')
    replaced = FieldMap.load(file)
    assert replaced.to_crm({"email": "a@b.example"}) == {"Email_do_cidadao__c": "a@b.example"}
    assert replaced.account["genero"] == "Genero__c"
    assert "Email_do_cidadao__c" in replaced.account_fields


@pytest.mark.parametrize(
    "text",
    [
        "[account",
        'email = "X"',
        '[outros]\nemail = "X"',
        '[account]\nnada = "X"',
        "[account]\nemail = 5",
        "[account]\nemail = \"X' OR Id = '\"",
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "map.toml"
    file.write_text(text)
    with pytest.raises(SettingsError):
        FieldMap.load(file)
    with pytest.raises(SettingsError):
        FieldMap.load(tmp_path / "absent.toml")
