"""Which names of groups are free to whom: one rule for a single change and for those of a plan (rules: access 4.8)."""

from collections.abc import Iterable

from balcao.core.access.reach import MANAGED, Attributes, HeldRights, limit_covers
from balcao.core.errors import Forbidden


def check_name(held: HeldRights, name: str, others: Iterable[Attributes]) -> None:
    """Raise Forbidden for a name that would put a new group among those whose members other groups manage."""
    if held.is_administrator:
        return
    if any(limit_covers(MANAGED, frozenset(attributes.get(MANAGED, ())), name) for attributes in others):
        raise Forbidden(
            "Grupos com esse começo de nome têm quem os administre: só um administrador os cria.",
            code="group-name-managed",
        )
