"""Which run may be rolled back now: every call in every state (rules: search 4.5)."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from balcao.core.errors import Conflict, NotFound

NOTHING = "Não há migração a desfazer."
UNKNOWN = "Migração não encontrada."


class MigrationRun(msgspec.Struct, frozen=True):
    """A recorded run, as the decision needs it. `window_open`: still reversible by time, and its mirror is whole."""

    id: str
    kind: Literal["migration", "rollback"]
    status: Literal["in_progress", "completed", "failed", "rollback"]
    source_collection: str
    target_collection: str
    previous_schema_version: str
    rolled_back: bool
    window_open: bool


def choose_revocable(runs: Sequence[MigrationRun], migration_id: str | None) -> MigrationRun:
    """Return the run to roll back, of all runs, newest first.

    Raises Conflict for one that cannot be, and NotFound for an unknown `migration_id` or when there is none.
    """
    if any(run.status == "in_progress" for run in runs):
        raise Conflict("Há uma migração em andamento: espere que termine.", code="migration-running")
    completed = [run for run in runs if run.status == "completed"]
    chosen = _find_named(runs, completed, migration_id) if migration_id is not None else _find_newest(completed)
    if chosen.rolled_back:
        raise Conflict("Esta migração já foi desfeita.", code="migration-rolled-back")
    if not chosen.window_open:
        raise Conflict("O prazo para desfazer esta migração terminou.", code="migration-window-over")
    return chosen


def _find_named(runs: Sequence[MigrationRun], completed: Sequence[MigrationRun], migration_id: str) -> MigrationRun:
    found = next((run for run in runs if run.id == migration_id), None)
    if found is None:
        raise NotFound(UNKNOWN, code="migration-unknown")
    if found not in completed[:1]:
        raise Conflict("Só a migração concluída mais recente pode ser desfeita.", code="migration-not-newest")
    return found


def _find_newest(completed: Sequence[MigrationRun]) -> MigrationRun:
    """Return the newest not rolled back yet; an older one has lost its window when the newer one began."""
    standing = [run for run in completed if not run.rolled_back]
    if not standing:
        raise NotFound(NOTHING, code="nothing-to-roll-back")
    return standing[0]
