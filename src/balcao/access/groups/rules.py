"""The rule for names of new groups, shared by single changes and plans (rules: access 4.8)."""

from collections.abc import Iterable

from balcao.core.access.reach import MANAGED, Attributes, HeldRights, limit_covers
from balcao.core.errors import Forbidden


def check_name(held: HeldRights, name: str, others: Iterable[Attributes]) -> None:
    """Raise Forbidden if the name of the new group would let the members of another group manage it.

    Administrators may use any name.
    """
    if held.is_administrator:
        return
    if any(limit_covers(MANAGED, frozenset(attributes.get(MANAGED, ())), name) for attributes in others):
        raise Forbidden(
            "Grupos com esse começo de nome têm quem os administre: só um administrador os cria.",
            code="group-name-managed",
        )
