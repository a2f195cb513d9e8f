"""An attendance from the reason to its end: by the person who serves, by quiet, or by the end of the session."""

from datetime import datetime, timedelta

import msgspec

from balcao.console.attendances import store
from balcao.console.faults import PageFault
from balcao.console.sealing import SealBroken
from balcao.console.visit import Visit
from balcao.core.values.cpf import Cpf

QUIET = timedelta(minutes=15)


class _Content(msgspec.Struct, frozen=True):
    cpf: str
    reason: str


class Attendance(msgspec.Struct, frozen=True):
    """Whom, why, and when it ends if nothing more is asked for."""

    number: int
    cpf: Cpf
    reason: str
    ends_at: datetime


async def begin_attendance(visit: Visit, cpf: Cpf, reason: str) -> int:
    """Begin one, and return its number."""
    key = visit.session.stored.key
    sealed = visit.panel.sealer.seal(_place(key), msgspec.json.encode(_Content(cpf.digits, reason)))
    async with visit.panel.database.connection() as connection:
        return await store.insert_attendance(connection, key, sealed)


async def find_attendance(visit: Visit, number: str) -> Attendance:
    """Return the attendance of this session, which lasts a while longer for it. Raises PageFault where it is over."""
    key = visit.session.stored.key
    stored = None
    if number.isascii() and number.isdigit() and len(number) < 19:  # a bigint
        async with visit.panel.database.connection() as connection:
            stored = await store.use_attendance(connection, int(number), key, QUIET)
    if stored is None:
        raise _make_over()
    try:
        opened = visit.panel.sealer.open(_place(key), stored.content)
    except SealBroken:
        raise _make_over() from None
    content = msgspec.json.decode(opened, type=_Content)
    return Attendance(int(number), Cpf(content.cpf), content.reason, stored.used_at + QUIET)


async def end_attendance(visit: Visit, number: str) -> None:
    """End it; one that is over already stays so."""
    if number.isascii() and number.isdigit() and len(number) < 19:
        async with visit.panel.database.connection() as connection:
            await store.delete_attendance(connection, int(number), visit.session.stored.key, QUIET)


def _place(key: bytes) -> bytes:
    return b"attendance" + key


def _make_over() -> PageFault:
    return PageFault(
        404,
        "O atendimento terminou",
        "Ele fecha depois de 15 minutos sem uso, ou com a sua sessão. Nada mais é lido: comece outro e diga o motivo.",
    )
