"""A form that somebody works on: colleagues at the same one are named, and what is typed is kept for a day.

Only a page that could be shown hands out its place, sealed for this session: who may not read the record cannot learn
who is at it, nor be seen there; with other rights than those that it was shown by, nobody either. What comes of a page
after its form was sent is kept no more. Forms with data of citizens take no part.
"""

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import msgspec

from balcao.panel.visit import Visit
from balcao.panel.working import store
from balcao.web.sealing import SealBroken
from balcao.web.sessions.service import Draft
from balcao.web.visit import DRAFT_IN_ADDRESS, PLACE

LASTING = timedelta(minutes=2)
# Nothing that a browser sent is under way for longer.
_OPENINGS_KEPT = timedelta(days=1)
_MOST_NAMED = 5


class _Place(msgspec.Struct, frozen=True):
    """Where a form is, and this one time that it was shown, by these rights; `page` is the name of its page."""

    path: str
    title: str
    opening: UUID
    rights: str
    page: str = ""


@dataclass(frozen=True)
class Kept:
    """What was typed and not sent, under its number."""

    number: UUID
    saved_at: datetime


@dataclass(frozen=True)
class Work:
    """`place` is what the page says to be known again, `others` are names, `kept` what may be gone on with."""

    place: str
    others: list[str]
    kept: Kept | None


async def begin_work(visit: Visit) -> Work:
    """Note that the person has this form open, once they were let see what it shows."""
    if visit.is_post and (before := _read_place(visit)) is not None:  # it was refused, and is shown anew
        await _end(visit, before)
    place = _Place(visit.path, visit.page.label, uuid4(), visit.rights.digest, visit.page.name)
    sealed = visit.panel.sealer.seal(_bind(visit), msgspec.json.encode(place))
    is_fresh = not visit.is_post and not visit.query.first(DRAFT_IN_ADDRESS)
    number = _number(visit, place.path)
    saved_at = await visit.panel.sessions.find_saving(visit.session, number) if is_fresh else None
    kept = None if saved_at is None else Kept(number, saved_at)
    return Work(base64.urlsafe_b64encode(sealed).decode(), await _list_co_editors(visit, place.path), kept)


async def heartbeat(visit: Visit) -> list[str] | None:
    """Note that the page is still open, and return who else is there; None for a place that is none of the session's.

    Who has other rights by now may have lost that to the page: they see nobody, and are seen by nobody, until it is
    opened anew.
    """
    place = _read_place(visit)
    if place is None:
        return None
    return await _list_co_editors(visit, place.path) if place.rights == visit.rights.digest else []


async def keep_typed(visit: Visit) -> bool:
    """Keep what stands in the form, unless it was sent meanwhile.

    Return False for a place of another session, and for a page that the person may no longer open.
    """
    place = _read_place(visit)
    if place is None or (place.page and not visit.may_open(place.page)):
        return False
    fields = {name: values for name, values in visit.posted.items() if name not in {"_csrf", PLACE}}
    sealed = await visit.panel.sessions.seal_draft(visit.session, Draft(place.path, place.title, fields))
    async with visit.panel.database.transaction() as connection:
        if await store.touch_opening(connection, place.opening) is not None:
            await visit.panel.sessions.write_draft(connection, visit.session, sealed, _number(visit, place.path))
    return True


async def finish_work(visit: Visit) -> None:
    """Forget what was typed at a form that was sent, and that the person was there."""
    place = _read_place(visit)
    if place is None:
        return
    await _end(visit, place)
    await visit.panel.sessions.drop_draft(visit.session, str(_number(visit, place.path)))
    async with visit.panel.database.connection() as connection:
        await store.delete_presence(connection, _hash(place.path), visit.session.stored.subject_key)


async def _end(visit: Visit, place: _Place) -> None:
    """Keep nothing more that comes of this opening, after what is being kept of it at this moment."""
    async with visit.panel.database.connection() as connection:
        await store.end_opening(connection, place.opening)
        await store.delete_old_openings(connection, _OPENINGS_KEPT)


async def _list_co_editors(visit: Visit, path: str) -> list[str]:
    subject, place = visit.session.stored.subject_key, _hash(path)
    sealer = visit.panel.sealer
    async with visit.panel.database.connection() as connection:
        await store.write_presence(connection, place, subject, sealer.seal(b"presence" + place, visit.name.encode()))
        await store.delete_old_presence(connection, LASTING)
        found = await store.list_others(connection, place, subject, LASTING, _MOST_NAMED)
    names = []
    for sealed in found:
        try:
            names.append(sealer.open(b"presence" + place, sealed).decode())
        except SealBroken:  # by a key that is not ours any more
            continue
    return names


def _read_place(visit: Visit) -> _Place | None:
    try:
        sealed = base64.urlsafe_b64decode(visit.posted.first(PLACE))
        return msgspec.json.decode(visit.panel.sealer.open(_bind(visit), sealed), type=_Place)
    except (SealBroken, ValueError):
        return None


def _bind(visit: Visit) -> bytes:
    return b"place" + visit.session.stored.key


def _hash(path: str) -> bytes:
    return hashlib.sha256(path.encode()).digest()


def _number(visit: Visit, path: str) -> UUID:
    """Return the number under which a person has one kept text of each form."""
    return UUID(bytes=hashlib.sha256(b"typed" + visit.session.stored.subject_key + path.encode()).digest()[:16])
