"""Finds personal data in texts that must hold none: CPFs, e-mail addresses, phone numbers.

A phone number is one of a mobile or a fixed line in Brazil, or of any country after a plus sign. The lines of services
(0800, 4004) belong to no person.

A number is found however it is written: with points, blanks or dashes between its digits, with invisible characters
among them, in digits of another width or script.
"""

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, count
from operator import mul

import phonenumbers

from balcao.core.values.cpf import Cpf
from balcao.core.values.emails import is_address

CPF = "CPF"
EMAIL = "e-mail"
PHONE = "telefone"
KINDS = frozenset({CPF, EMAIL, PHONE})

_OTHER_THAN_ASCII = re.compile(r"[^\x00-\x7f]+")
# Marks upon a character, and what nobody sees: joiners, marks of direction, soft hyphens.
_BESIDE_CHARACTERS = frozenset({"Mn", "Me", "Cf"})
# Every pattern is linear: repetitions are bounded, or end at a character that cannot begin the next one.
_AFTER_AT = re.compile(r"@([^\s@<>()\[\],;:\"']{3,255})")
_BEFORE_AT = re.compile(r"[^\s@<>()\[\],;:\"']+")
_LONGEST_BEFORE_AT = 64
# Ten digits or more with little between them; letters end a run, and of a close one also commas, colons and slashes.
_RUN_OF_DIGITS = re.compile(r"[0-9](?:[\W_]{0,3}[0-9]){9,}")
_CLOSE_RUN = re.compile(r"[0-9](?:[^\w,;:/]{0,2}[0-9]){9,}")
_GROUP = re.compile("[0-9]+")
_CPF_DIGITS = 11
# A number with its area code in the usual groups, so that it is found between other numbers.
_PHONE_SHAPED = re.compile(
    r"(?<![0-9])(?=((?:(?:00)?55[\W_]{0,3}|0[\W_]{0,3}(?:[0-9]{2}[\W_]{0,3})?)?"
    r"[1-9][0-9][\W_]{0,3}(?:9[\W_]{0,3}[0-9]{4}|[2-57][0-9]{3})[\W_]{0,3}[0-9]{4})(?![0-9]))"
)
_FOREIGN_SHAPED = re.compile(r"\+[^\w,;:/]{0,2}([0-9](?:[^\w,;:/]{0,2}[0-9]){6,14})")
# The libraries take a tenth of a millisecond for each candidate. A text with more of them than this that are all
# something else is not to be expected, so it counts as one with an address or a number.
_MOST_CANDIDATES = 50
LONGEST_NAME = 150
MASK = "(dados pessoais)"


def find_kinds(text: str) -> set[str]:
    """Return which kinds of personal data the text holds; its time grows with the length of the text, not faster."""
    plain = _OTHER_THAN_ASCII.sub(lambda found: found[0].translate(_PLAIN), text)
    runs = _RUN_OF_DIGITS.findall(plain)
    found = {EMAIL} if _has_email(plain) else set()
    if any(_has_cpf(_GROUP.findall(run)) for run in runs):
        found.add(CPF)
    if _has_phone(plain, runs):
        found.add(PHONE)
    return found


def refuse_personal_data(text: str, kinds: frozenset[str] | set[str] = KINDS) -> str:
    """Return the text unchanged. Raises ValueError naming the kinds found in it, never the value."""
    if found := sorted(find_kinds(text) & kinds):
        raise ValueError(f"não pode conter dados pessoais ({', '.join(found)})")
    return text


def mask_personal_data(text: str) -> str:
    """Return the text, or a mark in its place if it holds personal data: for what was stored before it was refused."""
    return MASK if find_kinds(text) else text


def clean_name(text: str) -> str | None:
    """Return a name as lists and trails show it: one line of printable characters, cut; None where nothing is left.

    What is no name but somebody's number or address, as identity providers without a profile write there, is none.
    """
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    name = " ".join(text.split())[:LONGEST_NAME].rstrip()
    return name if name and not find_kinds(name) else None


class _PlainCharacters(dict[int, str]):
    """What each character is read as: a digit of any script in ASCII, nothing for what nobody sees."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category in _BESIDE_CHARACTERS:
            plain = ""
        elif category == "Nd":
            plain = str(unicodedata.decimal(char))
        else:
            plain = unicodedata.normalize("NFKC", char)
        if len(self) < 4096:  # enough for what cities write
            self[code] = plain
        return plain


_PLAIN = _PlainCharacters()


def _has_cpf(groups: list[str]) -> bool:
    """Whether groups of digits that follow each other make a CPF."""
    joined = "".join(groups)
    return any(
        Cpf.parse(joined[start : start + _CPF_DIGITS]) for start in _iterate_starts(groups, list(map(int, joined)))
    )


def _iterate_starts(groups: list[str], digits: list[int]) -> Iterator[int]:
    """Yield where groups in a row have as many digits as a CPF, and the first of its check digits is right.

    The sums make this a few steps for each start: one text may have 30,000 of them.
    """
    ends = list(accumulate(map(len, groups)))
    sums = list(accumulate(digits, initial=0))
    by_place = list(accumulate(map(mul, digits, count()), initial=0))
    is_end = set(ends)
    for start in (0, *ends):
        if start + _CPF_DIGITS in is_end:
            check = start + _CPF_DIGITS - 2
            weighed = (start + 10) * (sums[check] - sums[start]) - (by_place[check] - by_place[start])
            if -weighed % 11 % 10 == digits[check]:
                yield start


def _has_phone(text: str, runs: Iterable[str]) -> bool:
    is_national = _make_national().fullmatch
    for run in runs:
        if any(is_national(_join(found)) for found in (run, *_PHONE_SHAPED.findall(run), *_CLOSE_RUN.findall(run))):
            return True
    return _holds_any(map(_join, _FOREIGN_SHAPED.findall(text)), _is_foreign_phone)


def _join(text: str) -> str:
    """Return the digits of a text."""
    return "".join(_GROUP.findall(text))


@functools.cache
def _make_national() -> re.Pattern[str]:
    """Return the pattern of a Brazilian number of a person, with what is dialled before it: the library's own."""
    metadata = phonenumbers.PhoneMetadata.metadata_for_region("BR")
    assert metadata is not None
    kinds = "|".join(kind.national_number_pattern or "" for kind in (metadata.mobile, metadata.fixed_line) if kind)
    return re.compile(f"(?:(?:00)?55|0(?:[0-9]{{2}})?)?(?:{kinds})", re.ASCII)


def _is_foreign_phone(digits: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(f"+{digits}"))
    except phonenumbers.NumberParseException:
        return False


def _has_email(text: str) -> bool:
    if "@" not in text:
        return False
    return _holds_any(_iterate_addresses(text), is_address)


def _iterate_addresses(text: str) -> Iterator[str]:
    """Yield what is written as an address is, without a point at its end."""
    for found in _AFTER_AT.finditer(text):
        at = found.start()
        if before := _BEFORE_AT.match(text[max(0, at - _LONGEST_BEFORE_AT) : at][::-1]):
            yield f"{before[0][::-1]}@{found[1].rstrip('.')}"


def _holds_any(candidates: Iterable[str], is_one: Callable[[str], bool]) -> bool:
    """Whether one of the candidates is what the library takes it for, or there are too many to ask it of each."""
    asked: set[str] = set()
    for candidate in candidates:
        if candidate in asked:
            continue
        asked.add(candidate)
        if len(asked) > _MOST_CANDIDATES or is_one(candidate):
            return True
    return False
