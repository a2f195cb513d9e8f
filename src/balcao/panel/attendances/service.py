"""Start, use and close attendances.

An attendance closes on request, after 15 minutes without use, or with the session.
"""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from balcao.core.values.cpf import Cpf
from balcao.panel.attendance import Attendance
from balcao.panel.attendances import store
from balcao.panel.attendances.store import StoredAttendance
from balcao.panel.visit import Visit
from balcao.web.api import NotAllowed, NotFound
from balcao.web.faults import PageFault
from balcao.web.person import client as people
from balcao.web.person.client import Subject
from balcao.web.sealing import InvalidSeal

IDLE_LIMIT = timedelta(minutes=15)
# List only this many of the newest attendances. A clerk cannot handle more at the same time.
MOST_LISTED = 10


class _Content(msgspec.Struct, frozen=True):
    cpf: str
    reason: str
    name: str | None = None


async def begin_attendance(visit: Visit, cpf: Cpf, reason: str) -> int:
    """Start an attendance and return its number. Read the citizen's name with the given reason."""
    try:
        name = await people.read_name(Subject(visit.api, cpf, reason))
    except NotFound:
        name = ""
    except NotAllowed:
        name = None
    key = visit.session.stored.key
    sealed = visit.panel.sealer.seal(_make_seal_context(key), msgspec.json.encode(_Content(cpf.digits, reason, name)))
    async with visit.panel.database.connection() as connection:
        return await store.insert_attendance(connection, key, sealed)


async def list_attendances(visit: Visit) -> Sequence[Attendance]:
    """Return the newest open attendances of this session. Listing them does not prolong them."""
    key = visit.session.stored.key
    async with visit.panel.database.connection() as connection:
        stored = await store.list_attendances(connection, key, IDLE_LIMIT, MOST_LISTED)
    opened = (_open(visit, one) for one in stored)
    return [one for one in opened if one is not None]


async def find_attendance(visit: Visit, number: str) -> Attendance:
    """Return an attendance of this session and prolong it. The page frame then shows the citizen.

    Raises PageFault if the attendance has closed.
    """
    key = visit.session.stored.key
    stored = None
    if number.isascii() and number.isdigit() and len(number) < 19:  # a number with at most 18 digits fits in a bigint
        async with visit.panel.database.connection() as connection:
            stored = await store.use_attendance(connection, int(number), key, IDLE_LIMIT)
    found = _open(visit, stored) if stored else None
    if found is None:
        raise _make_ended_fault()
    visit.attendance = found
    return found


async def end_attendance(visit: Visit, number: str) -> None:
    """Close the attendance. Do nothing if it has already closed."""
    if number.isascii() and number.isdigit() and len(number) < 19:
        async with visit.panel.database.connection() as connection:
            await store.delete_attendance(connection, int(number), visit.session.stored.key, IDLE_LIMIT)


def _open(visit: Visit, stored: StoredAttendance) -> Attendance | None:
    """Decrypt the attendance. Return None if the encryption key has been removed from the settings."""
    try:
        opened = visit.panel.sealer.open(_make_seal_context(visit.session.stored.key), stored.content)
    except InvalidSeal:
        return None
    content = msgspec.json.decode(opened, type=_Content)
    return Attendance(stored.number, Cpf(content.cpf), content.reason, content.name, stored.used_at + IDLE_LIMIT)


def _make_seal_context(key: bytes) -> bytes:
    return b"attendance" + key


def _make_ended_fault() -> PageFault:
    return PageFault(
        404,
        "O atendimento terminou",
        "Ele termina após 15 minutos sem uso ou com a sua sessão. Nada mais é lido: comece outro e informe o motivo.",
    )
