"""Creating, renaming and describing actions; mappings, grants and code follow by id or code key."""

from typing import NamedTuple

from balcao.access.actions import store
from balcao.access.actions.schemas import Action, ActionChange
from balcao.access.catalogue.events import Event, author
from balcao.access.catalogue.service import writing
from balcao.core.context.call import Call
from balcao.core.errors import Forbidden, Invalid, NotFound
from balcao.core.http.responses import Ready, require_match


class Written(NamedTuple):
    """The record and the catalogue version that holds it."""

    action: Action
    version: int


async def update_action(call: Call, action_id: int, change: ActionChange) -> Written:
    """The same values again write nothing. Raises NotFound, Forbidden, PreconditionFailed and Invalid (name in use)."""
    async with writing(call, Event("action.update", "action", str(action_id))) as write:
        found = await store.find(write.connection, action_id, change.name)
        if found is None:
            raise NotFound("Não há ação com esse id.")
        present = found.action
        action = Action(
            present.id, change.name or present.name, change.description or present.description, present.endpoint_count
        )
        _refuse(call, found, renamed=action.name != present.name)
        if action != present:
            await store.update(write.connection, action.id, action.name, action.description)
            before, after = _texts(present), _texts(action)
            write.record(Event("action.update", "action", str(action.id), action.name, before=before, after=after))
    return Written(action, write.version)


def _refuse(call: Call, found: store.Found, *, renamed: bool) -> None:
    if renamed and found.reserved:
        raise Forbidden("Este nome é reservado à plataforma; só a descrição pode mudar.", code="action-reserved")
    require_match(call.if_match, Ready.of(found.action).etag)
    if renamed and found.name_taken:
        raise _name_taken()


async def create_action(call: Call, name: str, description: str) -> Written:
    """Raises Invalid when the name is in use."""
    async with writing(call, Event("action.create", "action", name=name)) as write:
        action_id = await store.insert(write.connection, name, description, author(call))
        if action_id is None:
            raise _name_taken()
        action = Action(action_id, name, description, 0)
        write.record(Event("action.create", "action", str(action_id), name, after=_texts(action)))
    return Written(action, write.version)


async def action_id_of(call: Call, name: str) -> int | None:
    """By the present name."""
    async with call.platform.database.connection() as connection:
        return await store.id_of(connection, name)


async def action_id_of_key(call: Call, code_key: str) -> int | None:
    """By the name under which code declared it, whatever it is called now."""
    async with call.platform.database.connection() as connection:
        return await store.id_of_key(connection, code_key)


def _texts(action: Action) -> dict[str, str]:
    return {"name": action.name, "description": action.description}


def _name_taken() -> Invalid:
    """400, not 409: the cases ascend by status, and this one comes before 401 (spec: access administration 4)."""
    return Invalid("O campo `name` tem um nome já usado por outra ação.", code="action-name-taken")
