"""The rules for binding an endpoint to an action, shared by single changes and plans."""

from collections.abc import Iterable
from typing import Protocol

from balcao.access.catalogue import authority
from balcao.access.mappings import patterns
from balcao.core.access.reach import HeldRights
from balcao.core.access.rules import AUTHENTICATED, PUBLIC
from balcao.core.errors import Conflict

# How strict a binding is. It is open to every caller, to every valid token, or only to callers with an action.
_STRENGTH = {PUBLIC: 0, AUTHENTICATED: 1}
_BY_ACTION = 2
_FLOORS = {"public": 0, "authenticated": 1, "fixed": 0, "action": _BY_ACTION}


class PlacedMapping(Protocol):
    """A mapping to check against these rules. `operation` is None for a mapping of the city."""

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
    """Raise Conflict if a binding is less strict than the operation's code allows (rules: access 4.1).

    `declared` is the code key of the action that the release declares, `present` that of the current action, and
    `wanted` that of the new action. Raises Forbidden if a caller other than a superadmin makes the operation less
    restricted.
    """
    if floor == "fixed" and wanted != declared:
        raise Conflict("A especificação diz quem usa esta operação: a ação dela não muda.", code="mapping-fixed")
    strength = _STRENGTH.get(wanted or "", _BY_ACTION)
    if strength < _FLOORS[floor]:
        raise Conflict(
            "A operação trata de dados ou administra a plataforma: não pode ser aberta a todos.", code="mapping-floor"
        )
    if declared in authority.PROTECTED and wanted not in authority.PROTECTED:
        raise Conflict("A operação muda o próprio catálogo: só administradores a usam.", code="mapping-floor")
    if strength < _STRENGTH.get(present or "", _BY_ACTION):
        authority.check_superadmin(held)


def check_conflicts(
    wanted: PlacedMapping, same: PlacedMapping | None, others: Iterable[PlacedMapping], of_get: Iterable[PlacedMapping]
) -> None:
    """Raise Conflict if the shape is taken, patterns cross, or the path belongs to the platform.

    The message names the other mapping. A path that a platform operation's pattern covers always reaches that
    operation, which has its own action. If `wanted` maps HEAD, `of_get` contains the GET mappings, because GET
    operations also respond to HEAD. A mapping with the id of `wanted` is the stored form of `wanted`, so it is skipped.
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
