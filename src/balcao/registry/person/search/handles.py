"""The handle that replaces a found person's CPF. It is valid for 15 minutes, and only for the caller who searched."""

from datetime import datetime, timedelta

import msgspec
from joserfc.errors import JoseError

from balcao.core.context.audit import Audit
from balcao.core.context.sealing import seal_text, unseal_text
from balcao.core.values.cpf import Cpf

LIFETIME = timedelta(minutes=15)
_PURPOSE = "found-citizen"


class _Content(msgspec.Struct, array_like=True):
    cpf: str
    caller: str
    until: datetime


def seal_handle(audit: Audit, cpf: Cpf, caller: str, now: datetime) -> str:
    """Return a handle to this person for this caller. `caller` is the caller's key."""
    content = msgspec.json.encode(_Content(cpf.digits, caller, now + LIFETIME))
    return seal_text(audit.key, _PURPOSE, content.decode())


def open_handle(audit: Audit, handle: str, caller: str, now: datetime) -> Cpf | None:
    """Return the person behind the handle, or None if it is not valid, has expired or belongs to another caller."""
    try:
        content = msgspec.json.decode(unseal_text(audit.keys, _PURPOSE, handle), type=_Content)
    except (JoseError, ValueError):
        return None
    return Cpf(content.cpf) if content.caller == caller and now < content.until else None
