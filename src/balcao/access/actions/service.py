"""Creating, renaming and describing actions; mappings, grants and code follow by id or code key."""

from typing import NamedTuple

from balcao.access.actions import store
from balcao.access.actions.schemas import Action, ActionChange
from balcao.access.catalogue.events import CatalogueEvent, mask_author
from balcao.access.catalogue.service import write_catalogue
from balcao.core.context.call import Call
from balcao.core.errors import Forbidden, Invalid, NotFound
from balcao.core.http.responses import Ready, require_match


class SavedAction(NamedTuple):
    """The record and the catalogue version that holds it."""

    action: Action
    version: int


async def update_action(call: Call, action_id: int, change: ActionChange) -> SavedAction:
    """Rename or describe an action; the same values again write nothing.

    Raises NotFound, Forbidden for a reserved name, PreconditionFailed, and Invalid for a name in use.
    """
    async with write_catalogue(call, CatalogueEvent("action.update", "action", str(action_id))) as write:
        found = await store.find(write.connection, action_id, change.name)
        if found is None:
            raise NotFound("Não há ação com esse id.")
        present = found.action
        action = Action(
            present.id, change.name or present.name, change.description or present.description, present.endpoint_count
        )
        _check_change(call, found, renamed=action.name != present.name)
        if action != present:
            await store.update(write.connection, action.id, action.name, action.description)
            before, after = _describe(present), _describe(action)
            write.record(
                CatalogueEvent("action.update", "action", str(action.id), action.name, before=before, after=after)
            )
    return SavedAction(action, write.version)


def _check_change(call: Call, found: store.FoundAction, *, renamed: bool) -> None:
    if renamed and found.reserved:
        raise Forbidden("Este nome é reservado à plataforma; só a descrição pode mudar.", code="action-reserved")
    require_match(call.if_match, Ready.of(found.action).etag)
    if renamed and found.name_taken:
        raise _make_name_taken()


async def create_action(call: Call, name: str, description: str) -> SavedAction:
    """Create an action. Raises Invalid when the name is in use."""
    async with write_catalogue(call, CatalogueEvent("action.create", "action", name=name)) as write:
        action_id = await store.insert(write.connection, name, description, mask_author(call))
        if action_id is None:
            raise _make_name_taken()
        action = Action(action_id, name, description, 0)
        write.record(CatalogueEvent("action.create", "action", str(action_id), name, after=_describe(action)))
    return SavedAction(action, write.version)


async def find_action_id(call: Call, name: str) -> int | None:
    """Return the id of the action that bears this name now, or None."""
    async with call.platform.database.connection() as connection:
        return await store.find_id(connection, name)


async def find_action_id_by_key(call: Call, code_key: str) -> int | None:
    """Return the id of the action that code declared under this key, whatever it is called now, or None."""
    async with call.platform.database.connection() as connection:
        return await store.find_id_by_key(connection, code_key)


def _describe(action: Action) -> dict[str, str]:
    return {"name": action.name, "description": action.description}


def _make_name_taken() -> Invalid:
    """Return a 400, not a 409: it comes before 401 in the ascending cases (spec: access administration 4)."""
    return Invalid("O campo `name` tem um nome já usado por outra ação.", code="action-name-taken")
