"""When an action may be deleted: one rule for a single change and for those of a plan (rules: access 4.3)."""

from balcao.core.errors import Conflict, Forbidden


def check_deletion(*, reserved: bool, system: int, custom: int, roles: int, force: bool) -> None:
    """Raise Forbidden for a reserved action, and Conflict for one in use.

    `system` and `custom` count the mappings bound to it; `force` takes the custom ones and its roles' grants with it.
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
