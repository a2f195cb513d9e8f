"""The rules for a role's grants, shared by single changes and plans (rules: access 4.4)."""

from collections.abc import Sequence

from balcao.access.catalogue.authority import PROTECTED
from balcao.core.errors import Conflict, Forbidden, NotFound

RESERVED = "platform:"


def refuse_administrative_role(*, administrative: bool) -> None:
    """Raise Forbidden if the role is administrative, because it grants every action and cannot change."""
    if administrative:
        raise Forbidden("O papel de administração dá todos os direitos e não muda.", code="role-administrative")


def check_grantable(code_key: str | None) -> None:
    """Raise Forbidden for an action that only administrative roles grant.

    Raises Conflict for an action that is reserved to the platform.
    """
    if code_key in PROTECTED:
        raise Forbidden("Só os papéis de administração dão esta ação.", code="action-protected")
    if (code_key or "").startswith(RESERVED):
        raise Conflict("Esta ação é reservada à plataforma: nenhum papel a dá.", code="action-not-grantable")


def refuse_role_in_use(groups: Sequence[str]) -> None:
    """Raise Conflict if groups still give the role. The message names the groups."""
    if groups:
        raise Conflict(f"O papel ainda é dado a grupos: {', '.join(groups)}.", code="role-in-use")


def make_unknown_role() -> NotFound:
    """Return the error for an unknown role name."""
    return NotFound("Não há papel com esse nome.")
