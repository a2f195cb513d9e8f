"""Find personal data in texts that must not contain any: CPFs, e-mail addresses, phone numbers.

A phone number is a Brazilian mobile or fixed line, or a number of any country after a plus sign. Service lines (0800,
4004) belong to no person.

A number is found in any notation: with points, blanks or dashes between its digits, with invisible characters among
them, or in digits of another width or script.
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

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
# Combining marks, and invisible characters such as joiners, direction marks and soft hyphens.
_INVISIBLE_CATEGORIES = frozenset({"Mn", "Me", "Cf"})
# Every pattern takes linear time: repetitions are bounded, or end at a character that cannot start the next one.
_AFTER_AT = re.compile(r"@([^\s@<>()\[\],;:\"']{3,255})")
_BEFORE_AT = re.compile(r"[^\s@<>()\[\],;:\"']+")
_LONGEST_BEFORE_AT = 64
# A run has ten or more digits. Between two digits there are at most three other characters, none of them letters. In a
# close run there are at most two, and no commas, colons or slashes.
_RUN_OF_DIGITS = re.compile(r"[0-9](?:[\W_]{0,3}[0-9]){9,}")
_CLOSE_RUN = re.compile(r"[0-9](?:[^\w,;:/]{0,2}[0-9]){9,}")
_GROUP = re.compile("[0-9]+")
_CPF_DIGITS = 11
# A phone number with its area code, in the usual groups. This pattern finds phone numbers even between other numbers.
_PHONE_SHAPED = re.compile(
    r"(?<![0-9])(?=((?:(?:00)?55[\W_]{0,3}|0[\W_]{0,3}(?:[0-9]{2}[\W_]{0,3})?)?"
    r"[1-9][0-9][\W_]{0,3}(?:9[\W_]{0,3}[0-9]{4}|[2-57][0-9]{3})[\W_]{0,3}[0-9]{4})(?![0-9]))"
)
_FOREIGN_SHAPED = re.compile(r"\+[^\w,;:/]{0,2}([0-9](?:[^\w,;:/]{0,2}[0-9]){6,14})")
# The libraries take a tenth of a millisecond for each candidate. An ordinary text does not have more candidates than
# this without an address or a number among them. So a text with more counts as personal data.
_MOST_CANDIDATES = 50
LONGEST_NAME = 150
MASK = "(dados pessoais)"


def find_kinds(text: str) -> set[str]:
    """Return the kinds of personal data in the text, in linear time."""
    plain = _NON_ASCII.sub(lambda found: found[0].translate(_PLAIN), text)
    runs = _RUN_OF_DIGITS.findall(plain)
    found = {EMAIL} if _has_email(plain) else set()
    if any(_has_cpf(_GROUP.findall(run)) for run in runs):
        found.add(CPF)
    if _has_phone(plain, runs):
        found.add(PHONE)
    return found


def refuse_personal_data(text: str, kinds: frozenset[str] | set[str] = KINDS) -> str:
    """Return the string. Raises ValueError if it contains personal data; the message names only the kinds of data."""
    if found := sorted(find_kinds(text) & kinds):
        raise ValueError(f"não pode conter dados pessoais ({', '.join(found)})")
    return text


def mask_personal_data(text: str) -> str:
    """Return the text, or a mask if it contains personal data.

    This is for older stored texts, which were not checked.
    """
    return MASK if find_kinds(text) else text


def clean_name(text: str) -> str | None:
    """Return a name for lists and trails: one line of printable characters, cut to `LONGEST_NAME`.

    Return None if nothing is left, or if it contains a CPF, an e-mail address or a phone number. Some identity
    providers send such data as the name of a person without a profile.
    """
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    name = " ".join(text.split())[:LONGEST_NAME].rstrip()
    return name if name and not find_kinds(name) else None


class _PlainCharacters(dict[int, str]):
    """The replacement for each character: an ASCII digit for digits of any script, nothing for invisible characters."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category in _INVISIBLE_CATEGORIES:
            plain = ""
        elif category == "Nd":
            plain = str(unicodedata.decimal(char))
        else:
            plain = unicodedata.normalize("NFKC", char)
        if len(self) < 4096:  # limits the memory; real texts use fewer distinct characters
            self[code] = plain
        return plain


_PLAIN = _PlainCharacters()


def _has_cpf(groups: list[str]) -> bool:
    """Return whether consecutive groups of digits form a CPF."""
    joined = "".join(groups)
    return any(
        Cpf.parse(joined[start : start + _CPF_DIGITS]) for start in _iterate_starts(groups, list(map(int, joined)))
    )


def _iterate_starts(groups: list[str], digits: list[int]) -> Iterator[int]:
    """Yield each start of consecutive groups that have as many digits as a CPF and a correct first check digit.

    Precomputed sums make each start cheap to check, because one text may have 30,000 starts.
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
    """Return only the digits of a string."""
    return "".join(_GROUP.findall(text))


@functools.cache
def _make_national() -> re.Pattern[str]:
    """Return the library's pattern for Brazilian personal numbers, extended by dialling prefixes."""
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
    """Yield the parts of the text that look like an address, without trailing points."""
    for found in _AFTER_AT.finditer(text):
        at = found.start()
        if before := _BEFORE_AT.match(text[max(0, at - _LONGEST_BEFORE_AT) : at][::-1]):
            yield f"{before[0][::-1]}@{found[1].rstrip('.')}"


def _holds_any(candidates: Iterable[str], is_one: Callable[[str], bool]) -> bool:
    """Return whether the library accepts one of the candidates. Return true if there are too many to check."""
    asked: set[str] = set()
    for candidate in candidates:
        if candidate in asked:
            continue
        asked.add(candidate)
        if len(asked) > _MOST_CANDIDATES or is_one(candidate):
            return True
    return False
