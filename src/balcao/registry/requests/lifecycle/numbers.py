"""The number of a request, and the code that gives access to its state without a login (rules: registry 4.20)."""

import hmac
import re
import secrets
from collections.abc import Iterable
from typing import Annotated, TypeAlias

from stdnum import luhn

from balcao.core.context.audit import HashKey
from balcao.core.errors import NotFound
from balcao.core.http.parameters import InPath

_NUMBER = re.compile(r"PED-([0-9]{8,12})-([0-9])")
# Letters and digits that people do not confuse when reading them aloud: no 0, O, 1, I or L.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
CODE_LENGTH = 12
_GROUP = 4
_PURPOSE = "request-code"
EXAMPLE = "PED-00000003-4"  # a request in the demo data


def make_number(count: int) -> str:
    """Format the number for the `count`-th request."""
    return f"PED-{count:08}-{luhn.calc_check_digit(f'{count:08}')}"


def parse_number(text: str) -> str | None:
    """Parse the number in a typed string. Return None if the format or the check digit is wrong."""
    found = _NUMBER.fullmatch(text.strip().upper()) if len(text) <= 64 else None
    if found is None or luhn.calc_check_digit(found[1]) != found[2]:
        return None
    return found[0]


def parse_path_number(text: str) -> str:
    """Parse the number in a path. Raises NotFound if it is malformed, as for an unknown number."""
    number = parse_number(text)
    if number is None:
        raise make_unknown()
    return number


def make_unknown() -> NotFound:
    """Return the error for a number that does not exist, or whose request the caller may not see."""
    return NotFound("Não há pedido com este número.", code="service-request-unknown")


NumberInPath: TypeAlias = Annotated[
    str, InPath(parse_path_number, "Número do pedido", EXAMPLE, "^PED-[0-9]{8,12}-[0-9]$")
]


def make_code() -> str:
    """Return a new code in groups of four characters."""
    code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    return "-".join(code[start : start + _GROUP] for start in range(0, CODE_LENGTH, _GROUP))


def hash_code(key: HashKey, number: str, code: str) -> bytes:
    """Return the keyed hash of a request's code. Hyphens, blanks and case are ignored."""
    plain = re.sub(r"[\s-]", "", code[:64]).upper()
    return key.derive(_PURPOSE, f"{number}\0{plain}")


def matches_code(keys: Iterable[HashKey], number: str, code: str, stored: bytes | None) -> bool:
    """Return whether the code has the stored hash. The comparison takes constant time."""
    found = [hmac.compare_digest(hash_code(key, number, code), stored or b"") for key in keys]
    return any(found)
