"""Which endpoint may be bound to which action: one rule for a single change and for those of a plan."""

from collections.abc import Iterable
from typing import Protocol

from balcao.access.catalogue import authority
from balcao.access.mappings import patterns
from balcao.core.access.reach import HeldRights
from balcao.core.access.rules import AUTHENTICATED, PUBLIC
from balcao.core.errors import Conflict

# How freely an operation may be bound: to everybody, to every token, or to an action only.
_STRENGTH = {PUBLIC: 0, AUTHENTICATED: 1}
_BY_ACTION = 2
_FLOORS = {"public": 0, "authenticated": 1, "fixed": 0, "action": _BY_ACTION}


class PlacedMapping(Protocol):
    """A mapping as these rules look at it; `operation` is None for one of the city's own."""

    @property
    def id(self) -> int: ...
    @property
    def method(self) -> str: ...
    @property
    def path_pattern(self) -> str: ...
    @property
    def action_id(self) -> int: ...
    @property
    def operation(self) -> str | None: ...


def check_floor(floor: str, declared: str | None, present: str | None, wanted: str | None, held: HeldRights) -> None:
    """Refuse to bind an operation to less than its code allows (rules: access 4.1).

    `declared`, `present` and `wanted` are code keys: that of the release, of the action now bound and of the new one.
    Raises Conflict, and Forbidden for loosening an operation without being superadmin.
    """
    if floor == "fixed" and wanted != declared:
        raise Conflict("A especificação diz quem usa esta operação: a ação dela não muda.", code="mapping-fixed")
    strength = _STRENGTH.get(wanted or "", _BY_ACTION)
    if strength < _FLOORS[floor]:
        raise Conflict("A operação trata de dados ou administra: não se abre a todos.", code="mapping-floor")
    if declared in authority.PROTECTED and wanted not in authority.PROTECTED:
        raise Conflict("A operação muda o próprio catálogo: só administradores a usam.", code="mapping-floor")
    if strength < _STRENGTH.get(present or "", _BY_ACTION):
        authority.check_superadmin(held)


def check_conflicts(
    wanted: PlacedMapping, same: PlacedMapping | None, others: Iterable[PlacedMapping], of_get: Iterable[PlacedMapping]
) -> None:
    """Raise Conflict, naming the other one, for a shape that is taken, for patterns that cross, and for a part of ours.

    Whatever a path inside the pattern of one of our operations says, that operation answers it, by its own action;
    `of_get` are the mappings that answer HEAD, too, where `wanted` is of HEAD. Whoever has the same id is `wanted`.
    """
    pattern = wanted.path_pattern
    if same is not None and same.id != wanted.id:
        raise Conflict(f"Já existe o mapeamento {same.method} {same.path_pattern}.", code="mapping-exists")
    for other in others:
        if other.id == wanted.id:
            continue
        if other.action_id != wanted.action_id and patterns.patterns_cross(pattern, other.path_pattern):
            raise Conflict(
                f"O caminho cruza {other.path_pattern}, que exige outra ação: nenhum dos dois é o mais específico.",
                code="mapping-ambiguous",
            )
        _refuse_inside(other, pattern)
    for other in of_get:
        _refuse_inside(other, pattern)


def _refuse_inside(other: PlacedMapping, pattern: str) -> None:
    if other.operation is not None and patterns.pattern_covers(other.path_pattern, pattern):
        raise Conflict(
            f"O caminho está dentro de {other.path_pattern}, de uma operação da plataforma: mude a ação dela.",
            code="mapping-inside-operation",
        )
