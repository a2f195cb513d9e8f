"""Finds personal data in texts that must hold none: CPFs, e-mail addresses, Brazilian phone numbers."""

import re

from email_validator import EmailNotValidError, validate_email
from phonenumbers import PhoneNumberMatcher

from balcao.core.values.cpf import Cpf

CPF = "CPF"
EMAIL = "e-mail"
PHONE = "telefone"
KINDS = frozenset({CPF, EMAIL, PHONE})

_CPF_SHAPED = re.compile(r"(?<!\d)\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}(?!\d)", re.ASCII)
_EMAIL_SHAPED = re.compile(r"[^\s@<>()\[\],;:\"']{1,64}@[^\s@<>()\[\],;:\"']{3,255}")
_ENOUGH_DIGITS = re.compile(r"(?:\d\D{0,3}){10}", re.ASCII)


def find_kinds(text: str) -> set[str]:
    """Return which kinds of personal data the text holds."""
    checks = {CPF: _has_cpf, EMAIL: _has_email, PHONE: _has_phone}
    return {kind for kind, check in checks.items() if check(text)}


def refuse(text: str, kinds: frozenset[str] | set[str] = KINDS) -> str:
    """Return the text unchanged. Raises ValueError naming the kinds found in it, never the value."""
    if found := sorted(find_kinds(text) & kinds):
        raise ValueError(f"não pode conter dados pessoais ({', '.join(found)})")
    return text


def _has_cpf(text: str) -> bool:
    return any(Cpf.parse_claim(shaped) for shaped in _CPF_SHAPED.findall(text))


def _has_email(text: str) -> bool:
    return "@" in text and any(_is_email(shaped.rstrip(".")) for shaped in _EMAIL_SHAPED.findall(text))


def _is_email(text: str) -> bool:
    try:
        validate_email(text, check_deliverability=False, globally_deliverable=False)
    except EmailNotValidError:
        return False
    return True


def _has_phone(text: str) -> bool:
    return _ENOUGH_DIGITS.search(text) is not None and any(PhoneNumberMatcher(text, "BR"))
