"""Tests that phone numbers are validated, shown and stored according to the rules (rules: registry 4.7)."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.core.context.audit import HashKey
from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror.records import Mirror, MirroredField, Wording
from balcao.registry.person.citizens.merge import merge_record
from balcao.registry.person.phones.code import Secrets
from balcao.registry.person.phones.number import Number
from balcao.registry.person.phones.schemas import PhoneBody

NOW = datetime.now(UTC)

_numbers = st.one_of(
    st.tuples(st.just("55"), st.integers(11, 99).map(str), st.from_regex(r"[0-9]{8,9}", fullmatch=True)),
    st.from_regex(r"([1-9][0-9]{0,2}),([0-9]{0,4}),([0-9]{4,14})", fullmatch=True)
    .map(lambda text: tuple(text.split(",")))
    .filter(lambda parts: parts[0] != "55" and 8 <= len("".join(parts)) <= 15),
)


@given(_numbers, st.sampled_from(["{}", "+{}", "({}) ", "00-{}"]))
def test_any_number_shows_as_typed_also_after_an_echo_in_another_form(parts: tuple[str, str, str], form: str) -> None:
    ddi, ddd, valor = parts
    number = Number.parse(PhoneBody(ddi=f"+{ddi}", ddd=ddd, valor=valor))
    for shape, shows in (("{}", True), (form, form != "00-{}")):
        held = {
            field: MirroredField(shape.format(value), NOW, "citizen")
            for field, value in number.own_write.values.items()
        }
        mirror = Mirror(True, held, {"telefone": Wording(dict(number.typed), number.digits)})
        phones = merge_record(Cpf("90000000175"), None, mirror).telefone
        assert phones is not None
        main = phones.principal
        assert (main is not None and (main.ddi, main.ddd, main.valor) == parts) is shows


@pytest.mark.parametrize(
    ("parts", "code", "text"),
    [
        (("5555", "21", "988887777"), "ddi-invalid", "O campo `ddi` deve ter de 1 a 3 dígitos, sem zero à frente."),
        (("0", "", "12345678"), "ddi-invalid", "O campo `ddi` deve ter de 1 a 3 dígitos, sem zero à frente."),
        (("055", "21", "988887777"), "ddi-invalid", "O campo `ddi` deve ter de 1 a 3 dígitos, sem zero à frente."),
        (("55", "10", "988887777"), "ddd-invalid", "O campo `ddd` deve ter dois dígitos, de 11 a 99."),
        (("55", "21", "1234567"), "valor-invalid", "O campo `valor` deve ter 8 ou 9 dígitos."),
        (("1", "12345", "988887777"), "ddd-invalid", "O campo `ddd` deve ter até 4 dígitos."),
        (("1", "", "123"), "valor-invalid", "O campo `valor` deve ter de 4 a 14 dígitos."),
        (("1", "", "123456"), "phone-length", "Os campos `ddi`, `ddd` e `valor` devem ter juntos de 8 a 15 dígitos."),
        (("123", "1234", "123456789"), "phone-length", "Os campos `ddi`, `ddd` e `valor` devem ter juntos de 8 a 15"),
    ],
)
def test_a_refused_number_says_which_part_and_what_would_do(parts: tuple[str, str, str], code: str, text: str) -> None:
    ddi, ddd, valor = parts
    with pytest.raises(Invalid) as refused:
        Number.parse(PhoneBody(ddi=ddi, ddd=ddd, valor=valor))
    assert refused.value.code == code
    assert str(refused.value).startswith(text)


@pytest.mark.parametrize("parts", [("1", "", "1234567"), ("123", "1234", "12345678"), ("44", "", "1234567890123")])
def test_the_shortest_and_the_longest_number_are_taken(parts: tuple[str, str, str]) -> None:
    ddi, ddd, valor = parts
    assert len(Number.parse(PhoneBody(ddi=ddi, ddd=ddd, valor=valor)).digits) in (8, 15)


def test_what_is_stored_of_a_number_and_a_citizen_is_the_same_in_every_release() -> None:
    """If a release changed one of these hashes, all counts would start again and sent codes would become invalid."""
    hashes = Secrets(HashKey(b"k" * 32, 1))
    assert hashes.hash_number(Number("55", "21", "988887777")).hex()[:16] == "e1d2d6247b4c559f"
    assert hashes.hash_citizen(Cpf("90000000175")).hex()[:16] == "70679cb818e1540f"
    assert hashes.hash_code("a", "123456").hex()[:16] == "d6344cc354c90e48"


@pytest.mark.parametrize(
    ("ddi", "ddd", "valor"),
    [("+55", "(21)", "98888-7766"), (" 55\u00a0", "\u200b21", "98888\u20117766"), ("55", "21", " 9 8888.7766\ufeff")],
)
def test_a_number_may_be_pasted_in_parts(ddi: str, ddd: str, valor: str) -> None:
    assert Number.parse(PhoneBody(ddi=ddi, ddd=ddd, valor=valor)) == Number("55", "21", "988887766")
