"""The handle of a person who was found: it stands for their CPF, for whoever searched and for a quarter of an hour."""

from datetime import datetime, timedelta

import msgspec
from joserfc.errors import JoseError

from balcao.core.context.audit import Audit
from balcao.core.context.sealing import seal_text, unseal_text
from balcao.core.values.cpf import Cpf

LASTING = timedelta(minutes=15)
_PURPOSE = "found-citizen"


class _Content(msgspec.Struct, array_like=True):
    cpf: str
    caller: str
    until: datetime


def seal_handle(audit: Audit, cpf: Cpf, caller: str, now: datetime) -> str:
    """Return the handle of this person for this caller, by the caller's key."""
    content = msgspec.json.encode(_Content(cpf.digits, caller, now + LASTING))
    return seal_text(audit.key, _PURPOSE, content.decode())


def open_handle(audit: Audit, handle: str, caller: str, now: datetime) -> Cpf | None:
    """Return whom the handle stands for; None for one that is another caller's, over, or none at all."""
    try:
        content = msgspec.json.decode(unseal_text(audit.keys, _PURPOSE, handle), type=_Content)
    except (JoseError, ValueError):
        return None
    return Cpf(content.cpf) if content.caller == caller and now < content.until else None
