"""Finds personal data in texts that must hold none: CPFs, e-mail addresses, Brazilian phone numbers.

A number is found however it is written: with points, blanks or dashes between its digits, with invisible characters
among them, in digits of another width or script.
"""

import functools
import re
import unicodedata
from collections.abc import Iterator

import phonenumbers
from phonenumbers import PhoneNumberMatcher

from balcao.core.values.cpf import Cpf
from balcao.core.values.emails import is_address

CPF = "CPF"
EMAIL = "e-mail"
PHONE = "telefone"
KINDS = frozenset({CPF, EMAIL, PHONE})

_OTHER_THAN_ASCII = re.compile(r"[^\x00-\x7f]")
# Marks upon a character, and what nobody sees: joiners, marks of direction, soft hyphens.
_BESIDE_CHARACTERS = frozenset({"Mn", "Me", "Cf"})
_EMAIL_SHAPED = re.compile(r"[^\s@<>()\[\],;:\"']{1,64}@[^\s@<>()\[\],;:\"']{3,255}")
# Ten digits or more with little between them; letters end a run.
_RUN_OF_DIGITS = re.compile(r"[0-9](?:[\W_]{0,3}[0-9]){9,}")
_GROUP = re.compile("[0-9]+")
_CPF_DIGITS = 11
# From a number with its area code to one with the country's code.
_PHONE_DIGITS = range(10, 14)
LONGEST_NAME = 150


def find_kinds(text: str) -> set[str]:
    """Return which kinds of personal data the text holds."""
    plain = _OTHER_THAN_ASCII.sub(lambda found: _to_plain(found[0]), text)
    runs = [_GROUP.findall(run) for run in _RUN_OF_DIGITS.findall(plain)]
    found = {EMAIL} if _has_email(plain) else set()
    if any(map(_has_cpf, runs)):
        found.add(CPF)
    if runs and (any(map(_is_phone, runs)) or any(PhoneNumberMatcher(plain, "BR"))):
        found.add(PHONE)
    return found


def refuse_personal_data(text: str, kinds: frozenset[str] | set[str] = KINDS) -> str:
    """Return the text unchanged. Raises ValueError naming the kinds found in it, never the value."""
    if found := sorted(find_kinds(text) & kinds):
        raise ValueError(f"não pode conter dados pessoais ({', '.join(found)})")
    return text


def clean_name(text: str) -> str | None:
    """Return a name as lists and trails show it: one line of printable characters, cut; None where nothing is left.

    What is no name but somebody's number or address, as identity providers without a profile write there, is none.
    """
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    name = " ".join(text.split())[:LONGEST_NAME].rstrip()
    return name if name and not find_kinds(name) else None


@functools.lru_cache(4096)
def _to_plain(char: str) -> str:
    """Return what the character is read as: a digit of any script in ASCII, nothing for what nobody sees."""
    category = unicodedata.category(char)
    if category in _BESIDE_CHARACTERS:
        return ""
    return str(unicodedata.decimal(char)) if category == "Nd" else unicodedata.normalize("NFKC", char)


def _has_cpf(groups: list[str]) -> bool:
    """Whether groups of digits that follow each other make a CPF."""
    return any(Cpf.parse(digits) for digits in _iterate_joined(groups, _CPF_DIGITS))


def _iterate_joined(groups: list[str], length: int) -> Iterator[str]:
    """Yield what groups in a row make together, where it has this length."""
    for first in range(len(groups)):
        joined = ""
        for group in groups[first : first + length]:
            joined += group
            if len(joined) >= length:
                break
        if len(joined) == length:
            yield joined


def _is_phone(groups: list[str]) -> bool:
    """Whether all the digits together are a number that is given out; the library's matcher wants its usual marks."""
    digits = "".join(groups)
    if len(digits) not in _PHONE_DIGITS:
        return False
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(digits, "BR"))
    except phonenumbers.NumberParseException:
        return False


def _has_email(text: str) -> bool:
    return "@" in text and any(is_address(shaped.rstrip(".")) for shaped in _EMAIL_SHAPED.findall(text))
