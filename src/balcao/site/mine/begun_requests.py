"""Requests that a citizen has begun: their answers so far, sealed for 7 days, as one draft for each type.

After the request was made, the draft contains its number and code instead, so that a second press of the button and a
late step back find the receipt.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID, uuid5

from balcao.core.values.ids import new_id
from balcao.site.mine.visit import Visit
from balcao.site.requests.questions import RequestType
from balcao.web.sessions.drafts import Draft

_NUMBERS = UUID("8c1f5a52-1f0e-4a52-9b5e-6a2d0d3c7b41")
_ANSWER = "q-"  # in front of a question's id, so that no id is the name of another field
_KEY, _NUMBER, _CODE = "_key", "_number", "_code"


class Begun(NamedTuple):
    """A begun request. `key` makes the call that opens it repeatable; `sent` and `code` are its receipt."""

    answers: Mapping[str, Sequence[str]] = {}
    key: str = ""
    sent: str = ""
    code: str = ""


async def read_begun(visit: Visit, type_id: str) -> Begun:
    """Return the citizen's begun request of this type, which is empty if there is none."""
    draft = await visit.mine.sessions.drafts.read(visit.session, str(_find_id(visit, type_id)))
    if draft is None:
        return Begun()
    answers = {name.removeprefix(_ANSWER): texts for name, texts in draft.fields.items() if name.startswith(_ANSWER)}
    key, sent, code = (draft.fields.get(name, [""])[0] for name in (_KEY, _NUMBER, _CODE))
    return Begun(answers, key, sent, code)


async def keep_answer(visit: Visit, kind: RequestType, begun: Begun, question: str, texts: Sequence[str]) -> None:
    """Store one more answer. A request that was already made is not changed: a new one begins."""
    before = {} if begun.sent else {id_: list(one) for id_, one in begun.answers.items()}
    answers = {id_: one for id_, one in {**before, question: list(texts)}.items() if any(one)}
    key = new_id() if begun.sent or not begun.key else begun.key
    fields = {_KEY: [key]} | {f"{_ANSWER}{id_}": one for id_, one in answers.items()}
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
