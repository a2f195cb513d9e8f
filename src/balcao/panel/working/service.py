"""Support for forms that several people may edit. Pages name co-editors, and typed text is stored for a day.

Access: a page contains a token for its form, encrypted for this session, only if the person may see the page. A person
who may not read the record can therefore neither see its co-editors nor appear among them. The same applies to a person
whose rights have changed since the page was shown.

End: after a form has been sent, no draft is stored for that opening of the page.

Limit: forms with citizens' data do not use this module.
"""

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import msgspec

from balcao.panel.visit import Visit
from balcao.panel.working import store
from balcao.web.sealing import InvalidSeal
from balcao.web.sessions.drafts import Draft
from balcao.web.visit import DRAFT_IN_ADDRESS, FORM_ADDRESS_FIELD

PRESENCE_LIFETIME = timedelta(minutes=2)
# The record of an ended opening is stored for this long. It prevents a late request from the same page from storing a
# draft. No request is in flight for that long.
_OPENINGS_RETENTION = timedelta(days=1)
_MOST_NAMED = 5


class _OpenedForm(msgspec.Struct, frozen=True):
    """A form that a person has opened, with a digest of the person's rights at that time.

    `page` is the name of its page.
    """

    path: str
    title: str
    opening: UUID
    rights: str
    page: str = ""


@dataclass(frozen=True)
class Kept:
    """A stored draft: its id, and when it was saved."""

    number: UUID
    saved_at: datetime


@dataclass(frozen=True)
class Work:
    """The data that a page with a form needs.

    `opening_token` identifies this opening in later requests. `others` are the names of co-editors. `kept` is a stored
    draft with which the person can continue.
    """

    opening_token: str
    others: list[str]
    kept: Kept | None


async def begin_work(visit: Visit) -> Work:
    """Record that the person has this form open.

    Call this only after reading the page's data with the person's rights.
    """
    if visit.is_post and (before := _read_opened(visit)) is not None:  # the form was rejected and is shown again
        await _end(visit, before)
    opened = _OpenedForm(visit.path, visit.page.label, uuid4(), visit.rights.digest, visit.page.name)
    sealed = visit.panel.sealer.seal(_bind(visit), msgspec.json.encode(opened))
    is_fresh = not visit.is_post and not visit.query.first(DRAFT_IN_ADDRESS)
    number = _number(visit, opened.path)
    saved_at = await visit.panel.sessions.drafts.find_saving(visit.session, number) if is_fresh else None
    kept = None if saved_at is None else Kept(number, saved_at)
    return Work(base64.urlsafe_b64encode(sealed).decode(), await _list_co_editors(visit, opened.path), kept)


async def heartbeat(visit: Visit) -> list[str] | None:
    """Record that the page is still open, and return the co-editors. Return None if the token is not valid.

    A person whose rights have changed may no longer be allowed to open the page. Until they open it again, they neither
    see others nor are seen.
    """
    opened = _read_opened(visit)
    if opened is None:
        return None
    return await _list_co_editors(visit, opened.path) if opened.rights == visit.rights.digest else []


async def keep_typed(visit: Visit) -> bool:
    """Store the typed text as a draft, unless the form has been sent in the meantime.

    Return False if the token is not valid, or if the person may no longer open the page.
    """
    opened = _read_opened(visit)
    if opened is None or (opened.page and not visit.may_open(opened.page)):
        return False
    fields = {name: values for name, values in visit.posted.items() if name not in {"_csrf", FORM_ADDRESS_FIELD}}
    sealed = await visit.panel.sessions.drafts.seal(visit.session, Draft(opened.path, opened.title, fields))
    async with visit.panel.database.transaction() as connection:
        if await store.touch_opening(connection, opened.opening) is not None:
            await visit.panel.sessions.drafts.write(connection, visit.session, sealed, _number(visit, opened.path))
    return True


async def finish_work(visit: Visit) -> None:
    """After a form was sent, delete its draft and stop showing the person as a co-editor."""
    opened = _read_opened(visit)
    if opened is None:
        return
    await _end(visit, opened)
    await visit.panel.sessions.drafts.drop(visit.session, str(_number(visit, opened.path)))
    async with visit.panel.database.connection() as connection:
        await store.delete_presence(connection, _hash(opened.path), visit.session.stored.subject_key)


async def _end(visit: Visit, opened: _OpenedForm) -> None:
    """Prevent further drafts for this opening. If a draft is being stored now, wait until that has finished."""
    async with visit.panel.database.connection() as connection:
        await store.end_opening(connection, opened.opening)
        await store.delete_old_openings(connection, _OPENINGS_RETENTION)


async def _list_co_editors(visit: Visit, path: str) -> list[str]:
    # Also record this person's presence, so that the co-editors see it.
    subject, place = visit.session.stored.subject_key, _hash(path)
    sealer = visit.panel.sealer
    async with visit.panel.database.connection() as connection:
        await store.write_presence(connection, place, subject, sealer.seal(b"presence" + place, visit.name.encode()))
        await store.delete_old_presence(connection, PRESENCE_LIFETIME)
        found = await store.list_others(connection, place, subject, PRESENCE_LIFETIME, _MOST_NAMED)
    names = []
    for sealed in found:
        try:
            names.append(sealer.open(b"presence" + place, sealed).decode())
        except InvalidSeal:  # encrypted with a key that has since been removed
            continue
    return names


def _read_opened(visit: Visit) -> _OpenedForm | None:
    try:
        sealed = base64.urlsafe_b64decode(visit.posted.first(FORM_ADDRESS_FIELD))
        return msgspec.json.decode(visit.panel.sealer.open(_bind(visit), sealed), type=_OpenedForm)
    except (InvalidSeal, ValueError):
        return None


def _bind(visit: Visit) -> bytes:
    return b"place" + visit.session.stored.key


def _hash(path: str) -> bytes:
    return hashlib.sha256(path.encode()).digest()


def _number(visit: Visit, path: str) -> UUID:
    """Return the draft's id. A person who opens a form again gets the same id."""
    return UUID(bytes=hashlib.sha256(b"typed" + visit.session.stored.subject_key + path.encode()).digest()[:16])
