"""Requests that a citizen has begun: their answers so far, sealed for 7 days, as one draft for each type.

After the request was made, the draft contains its number and code instead, so that a second press of the button and a
late step back find the receipt.
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
_ANSWER = "q-"  # in front of a question's id, so that no id is the name of another field
_EMPTY: tuple[Any, ...] = (None, "", [])
_KEY, _NUMBER, _CODE = "_key", "_number", "_code"


class Begun(NamedTuple):
    """A begun request. `key` makes the call that opens it repeatable; `sent` and `code` are its receipt.

    `answers` have the format that the service accepts, except for files: a file is a text of its id, type and size.
    """

    answers: Mapping[str, Any] = {}
    key: str = ""
    sent: str = ""
    code: str = ""


async def read_begun(visit: Visit, type_id: str) -> Begun:
    """Return the citizen's begun request of this type, which is empty if there is none."""
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
    """Store one more answer, or remove it if it is empty. After the sending, a new request begins."""
    answers = {**({} if begun.sent else begun.answers), question: answer}
    key = new_id() if begun.sent or not begun.key else begun.key
    kept = {f"{_ANSWER}{id_}": [msgspec.json.encode(one).decode()] for id_, one in answers.items() if one not in _EMPTY}
    fields = {_KEY: [key], **kept}
    await _write(visit, kind.id, Draft(visit.address("asking.check", type_id=kind.id), kind.name, fields))


async def keep_receipt(visit: Visit, kind: RequestType, number: str, code: str) -> None:
    """Store number and code in place of the answers."""
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
