"""Requests that a citizen has begun. Each request type has one draft with the answers, encrypted and stored for 7 days.

After the request has been made, the draft contains its number and code instead. If the citizen presses the button again
or goes back later, they see the receipt.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import msgspec

from balcao.core.values.ids import new_id
from balcao.site.mine.visit import Visit
from balcao.web.service_requests.client import RequestType
from balcao.web.sessions.drafts import Draft

_NUMBERS = UUID("8c1f5a52-1f0e-4a52-9b5e-6a2d0d3c7b41")
_ANSWER = "q-"  # prefix of a question's id, so that no id equals another key
_EMPTY: tuple[Any, ...] = (None, "", [])
_KEY, _NUMBER, _CODE = "_key", "_number", "_code"


class Begun(NamedTuple):
    """A begun request.

    `key` is the idempotency key of the call that makes the request. `sent` and `code` are the number and code on its
    receipt. `answers` have the format that the service accepts, except for files: a file is a string of its id, type
    and size.
    """

    answers: Mapping[str, Any] = {}
    key: str = ""
    sent: str = ""
    code: str = ""


async def read_begun(visit: Visit, type_id: str) -> Begun:
    """Return the request of this type that the citizen has begun, or an empty one."""
    draft = await visit.mine.sessions.drafts.read(visit.session, str(_find_id(visit, type_id)))
    if draft is None:
        return Begun()
    answers = {
        name.removeprefix(_ANSWER): msgspec.json.decode(values[0])
        for name, values in draft.fields.items()
        if name.startswith(_ANSWER)
    }
    key, sent, code = (draft.fields.get(name, [""])[0] for name in (_KEY, _NUMBER, _CODE))
    return Begun(answers, key, sent, code)


async def keep_answer(visit: Visit, kind: RequestType, begun: Begun, question: str, answer: Any) -> None:
    """Store one more answer, or remove it if it is empty. If the request has already been sent, begin a new one."""
    answers = {**({} if begun.sent else begun.answers), question: answer}
    key = new_id() if begun.sent or not begun.key else begun.key
    kept = {f"{_ANSWER}{id_}": [msgspec.json.encode(one).decode()] for id_, one in answers.items() if one not in _EMPTY}
    fields = {_KEY: [key], **kept}
    await _write(visit, kind.id, Draft(visit.address("asking.check", type_id=kind.id), kind.name, fields))


async def keep_receipt(visit: Visit, kind: RequestType, number: str, code: str) -> None:
    """Store the request's number and code instead of the answers."""
    address = visit.address("requests.show", number=number)
    await _write(visit, kind.id, Draft(address, kind.name, {_NUMBER: [number], _CODE: [code]}))


async def drop_begun(visit: Visit, type_id: str) -> None:
    """Delete the begun request."""
    await visit.mine.sessions.drafts.drop(visit.session, str(_find_id(visit, type_id)))


def _find_id(visit: Visit, type_id: str) -> UUID:
    return uuid5(_NUMBERS, visit.session.stored.subject_key.hex() + type_id)


async def _write(visit: Visit, type_id: str, draft: Draft) -> None:
    drafts = visit.mine.sessions.drafts
    sealed = await drafts.seal(visit.session, draft)
    async with visit.mine.database.connection() as connection:
        await drafts.write(connection, visit.session, sealed, _find_id(visit, type_id))
