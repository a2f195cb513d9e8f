"""Forms of several pages that a citizen has begun. Each form has one draft with the answers, encrypted for 7 days.

After the form has been sent, the draft contains the id of the new record instead. If the citizen presses the button
again or goes back later, they see the receipt.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import msgspec

from balcao.core.values.ids import new_id
from balcao.site.mine.visit import Visit
from balcao.web.sessions.drafts import Draft

_NUMBERS = UUID("8c1f5a52-1f0e-4a52-9b5e-6a2d0d3c7b41")
_ANSWER = "q-"  # prefix of a question's id, so that no id equals another key
_EMPTY: tuple[Any, ...] = (None, "", [])
_KEY, _NUMBER, _CODE = "_key", "_number", "_code"


class FormOfPages(NamedTuple):
    """A form of several pages: its id, its title, and the address of its last page."""

    id: str
    title: str
    address: str


class Begun(NamedTuple):
    """A form that the citizen has begun.

    `key` is the idempotency key of the call that sends the form. `sent` is the id of the record that the call created,
    and `code` the code on the receipt of a request. `answers` have the format that the service accepts, except for
    files: a file is a string of its id, type and size.
    """

    answers: Mapping[str, Any] = {}
    key: str = ""
    sent: str = ""
    code: str = ""


async def read_begun(visit: Visit, form_id: str) -> Begun:
    """Return what the citizen has answered in this form. Return an empty object for a form that is not begun."""
    draft = await visit.mine.sessions.drafts.read(visit.session, str(_find_id(visit, form_id)))
    if draft is None:
        return Begun()
    answers = {
        name.removeprefix(_ANSWER): msgspec.json.decode(values[0])
        for name, values in draft.fields.items()
        if name.startswith(_ANSWER)
    }
    key, sent, code = (draft.fields.get(name, [""])[0] for name in (_KEY, _NUMBER, _CODE))
    return Begun(answers, key, sent, code)


async def keep_answers(visit: Visit, form: FormOfPages, begun: Begun, given: Mapping[str, Any]) -> None:
    """Store these answers by question. Remove the empty ones. If the form has already been sent, begin a new one."""
    answers = {**({} if begun.sent else begun.answers), **given}
    key = new_id() if begun.sent or not begun.key else begun.key
    kept = {f"{_ANSWER}{id_}": [msgspec.json.encode(one).decode()] for id_, one in answers.items() if one not in _EMPTY}
    await _write(visit, form.id, Draft(form.address, form.title, {_KEY: [key], **kept}))


async def keep_receipt(visit: Visit, form: FormOfPages, address: str, sent: str, code: str = "") -> None:
    """Store the id of the new record instead of the answers. `address` is the page of the record."""
    await _write(visit, form.id, Draft(address, form.title, {_NUMBER: [sent], _CODE: [code]}))


async def drop_begun(visit: Visit, form_id: str) -> None:
    """Delete the answers."""
    await visit.mine.sessions.drafts.drop(visit.session, str(_find_id(visit, form_id)))


def _find_id(visit: Visit, form_id: str) -> UUID:
    return uuid5(_NUMBERS, visit.session.stored.subject_key.hex() + form_id)


async def _write(visit: Visit, form_id: str, draft: Draft) -> None:
    drafts = visit.mine.sessions.drafts
    sealed = await drafts.seal(visit.session, draft)
    async with visit.mine.database.connection() as connection:
        await drafts.write(connection, visit.session, sealed, _find_id(visit, form_id))
