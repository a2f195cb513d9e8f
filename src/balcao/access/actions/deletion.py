"""The rule for the deletion of an action. Single changes and plans share it (rules: access 4.3)."""

from balcao.core.errors import Conflict, Forbidden


def check_deletion(*, reserved: bool, system: int, custom: int, roles: int, force: bool) -> None:
    """Raise Forbidden for a reserved action, and Conflict for an action in use.

    `system` and `custom` are the numbers of mappings that are bound to the action. With `force`, its custom mappings
    and its grants are deleted too.
    """
    if reserved:
        raise Forbidden("Esta ação é reservada à plataforma e não se exclui.", code="action-reserved")
    if system:
        raise Conflict(
            f"{system} operações da plataforma dependem da ação: ligue-as antes a outra.", code="action-in-use"
        )
    if (custom or roles) and not force:
        raise Conflict(
            f"A ação tem {custom} mapeamentos e {roles} papéis a dão; `force=true` os leva junto.", code="action-in-use"
        )
