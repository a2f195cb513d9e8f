"""Applies changes to actions in memory, one by one, before they are written together (rules: access 2.1, 4.2)."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from balcao.access.actions.schemas import Action, ActionChange
from balcao.core.errors import Forbidden, Invalid, NotFound
from balcao.core.values.etags import require_match
from balcao.core.values.ready import Ready


class KnownAction(NamedTuple):
    """An action. `reserved` is true if it belongs to the platform, so that its name cannot change."""

    action: Action
    reserved: bool


class KnownActions:
    """The actions that a batch of changes affects, in the state after the changes applied so far.

    `found` must contain every action to change, and every action that has one of the new names. `kept_names` contains
    the new names that no action may get, because they belong to deleted actions that are declared in code.
    """

    def __init__(self, found: Iterable[KnownAction], kept_names: Collection[str]) -> None:
        self._kept_names = kept_names
        self._by_id = {known.action.id: known for known in found}
        self._owners = {known.action.name: known.action.id for known in self._by_id.values()}

    def change(self, action_id: int, change: ActionChange, if_match: str | None) -> tuple[Action, Action]:
        """Apply a change, and return the action before and after it.

        Raises NotFound for an unknown id, Forbidden for a reserved name, and PreconditionFailed if `If-Match` does not
        match. Raises Invalid if the name is in use, or if it belongs to a deleted action that is declared in code.
        """
        known = self._by_id.get(action_id)
        if known is None:
            raise make_unknown_action()
        present = known.action
        action = Action(
            present.id, change.name or present.name, change.description or present.description, present.endpoint_count
        )
        renamed = action.name != present.name
        if renamed and known.reserved:
            raise make_name_reserved()
        require_match(if_match, Ready.of(present).etag)
        if renamed and action.name in self._owners:
            raise make_name_taken()
        if renamed and action.name in self._kept_names:
            raise make_name_in_code()
        del self._owners[present.name]
        self._owners[action.name] = action.id
        self._by_id[action.id] = known._replace(action=action)
        return present, action


def make_unknown_action() -> NotFound:
    """Return the error for an unknown action id."""
    return NotFound("Não há ação com esse id.")


def make_name_taken() -> Invalid:
    """Return the error for a name that another action has.

    The status is 400, not 409: the specification lists the cases by ascending status, and lists this case before 401
    (spec: access administration 4).
    """
    return Invalid("O campo `name` tem um nome já usado por outra ação.", code="action-name-taken")


def make_name_in_code() -> Invalid:
    """Return the error for a name that belongs to a deleted action that is declared in code.

    The platform adds the action again when it registers an operation that needs it (rules: access 4.3).
    """
    return Invalid(
        "O campo `name` tem o nome de uma ação da plataforma que foi excluída aqui: escolha outro.",
        code="action-name-in-code",
    )


def make_name_reserved() -> Forbidden:
    """Return the error for renaming an action that is reserved to the platform."""
    return Forbidden("Este nome é reservado à plataforma; só a descrição pode mudar.", code="action-reserved")
