"""Which run may be rolled back now: every call in every state (rules: search 4.5)."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from balcao.core.errors import Conflict, NotFound

NOTHING = "Não há migração a desfazer."
UNKNOWN = "Migração não encontrada."


class Run(msgspec.Struct, frozen=True):
    """A recorded run, as the decision needs it. `window_open`: still reversible by time, and its mirror is whole."""

    id: str
    kind: Literal["migration", "rollback"]
    status: Literal["in_progress", "completed", "failed", "rollback"]
    source_collection: str
    target_collection: str
    previous_schema_version: str
    rolled_back: bool
    window_open: bool


def revocable(runs: Sequence[Run], asked: str | None) -> Run:
    """The run to roll back, of all runs, newest first. Raises Conflict, and NotFound for an unknown `asked`."""
    if any(run.status == "in_progress" for run in runs):
        raise Conflict("Há uma migração em andamento: espere que termine.", code="migration-running")
    completed = [run for run in runs if run.status == "completed"]
    chosen = _named(runs, completed, asked) if asked is not None else _newest(completed)
    if chosen.rolled_back:
        raise Conflict("Esta migração já foi desfeita.", code="migration-rolled-back")
    if not chosen.window_open:
        raise Conflict("O prazo para desfazer esta migração terminou.", code="migration-window-over")
    return chosen


def _named(runs: Sequence[Run], completed: Sequence[Run], asked: str) -> Run:
    found = next((run for run in runs if run.id == asked), None)
    if found is None:
        raise NotFound(UNKNOWN, code="migration-unknown")
    if found not in completed[:1]:
        raise Conflict("Só a migração concluída mais recente pode ser desfeita.", code="migration-not-newest")
    return found


def _newest(completed: Sequence[Run]) -> Run:
    """Of those not rolled back yet; an older one has lost its window when the newer one began."""
    standing = [run for run in completed if not run.rolled_back]
    if not standing:
        raise NotFound(NOTHING, code="nothing-to-roll-back")
    return standing[0]
