"""The rule for deleting an action, shared by single deletions and plans (rules: access 4.3)."""

from balcao.core.errors import Conflict, Forbidden


def check_deletion(*, reserved: bool, system: int, custom: int, roles: int, force: bool) -> None:
    """Raise Forbidden if the action is reserved, and Conflict if it is in use.

    `system` counts the platform's operations bound to the action, `custom` the city's mappings, and `roles` the roles
    that grant it. With `force`, custom mappings and grants do not prevent the deletion, because it deletes them too.
    """
    if reserved:
        raise Forbidden("Esta ação é reservada à plataforma e não pode ser excluída.", code="action-reserved")
    if system:
        raise Conflict(
            f"{system} operações da plataforma dependem da ação: ligue-as antes a outra.", code="action-in-use"
        )
    if (custom or roles) and not force:
        raise Conflict(
            f"A ação tem {custom} mapeamentos e {roles} papéis a dão; `force=true` os leva junto.", code="action-in-use"
        )
