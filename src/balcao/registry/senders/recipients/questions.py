"""Parse a sender's question about recipients from the body."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import UNSET

from balcao.core.context.reasons import refuse_personal_data
from balcao.core.errors import Invalid
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phone_book.paths import parse_number
from balcao.registry.senders.recipients.purposes import PURPOSES
from balcao.registry.senders.recipients.schemas import RecipientsCheck

MOST = 1_000
_CODE = re.compile(r"[a-z0-9][a-z0-9._-]{1,63}")
_LONGEST_ITEM = 40  # a phone number with separators; a longer text is not parsed


class Question(NamedTuple):
    """The recipients, as digits in the order of the request. They are either all CPFs or all phone numbers."""

    purpose: str
    campaign: str
    recipients: Sequence[str]
    are_phones: bool


def parse_question(body: RecipientsCheck) -> Question:
    """Parse the question. Raises Invalid, which names the wrong member and the position of an invalid item."""
    if body.purpose not in PURPOSES:
        text = f"O campo `purpose` deve ser um destes: {', '.join(f'`{code}`' for code in PURPOSES)}."
        raise Invalid(text, code="purpose-invalid")
    if not _CODE.fullmatch(body.campaign):
        raise Invalid(
            "O campo `campaign` deve ter de 2 a 64 letras minúsculas sem acento, algarismos, `.`, `_` ou `-`, a "
            "começar por letra ou algarismo.",
            code="campaign-invalid",
        )
    refuse_personal_data("campaign", body.campaign)
    if body.cpfs is not UNSET and body.phones is UNSET:
        return Question(body.purpose, body.campaign, _parse_each("cpfs", body.cpfs, _parse_cpf), False)
    if body.phones is not UNSET and body.cpfs is UNSET:
        return Question(body.purpose, body.campaign, _parse_each("phones", body.phones, _parse_phone), True)
    raise Invalid("Envie `cpfs` ou `phones`, e só um dos dois.", code="recipients-kind")


def _parse_each(member: str, items: Sequence[str], parse: Callable[[str], str | None]) -> Sequence[str]:
    if not 1 <= len(items) <= MOST:
        raise Invalid(f"O campo `{member}` deve ter de 1 a {MOST} itens.", code="recipients-number")
    found = []
    for position, item in enumerate(items, 1):
        digits = parse(item) if len(item) <= _LONGEST_ITEM else None
        if digits is None:
            raise Invalid(f"O item {position} de `{member}` não é válido.", code="recipient-invalid")
        found.append(digits)
    return found


def _parse_cpf(text: str) -> str | None:
    cpf = Cpf.parse(text.strip())
    return cpf.digits if cpf else None


def _parse_phone(text: str) -> str | None:
    try:
        return parse_number(text)
    except Invalid:
        return None
