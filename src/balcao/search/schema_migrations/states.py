"""Decides whether a run may start, be aborted or be rolled back (rules: search 4.5)."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from balcao.core.errors import Conflict, NotFound

NOTHING = "Não há migração a desfazer."
UNKNOWN = "Migração não encontrada."

Phase = Literal["preparing", "back_fill", "indexing", "verifying", "switching", "done"]


class MigrationRun(msgspec.Struct, frozen=True):
    """A recorded run.

    `window_open` is true if the time for a rollback is not over and the mirror has missed no write.
    """

    id: str
    kind: Literal["migration", "rollback"]
    status: Literal["in_progress", "completed", "failed", "rollback"]
    source_collection: str
    target_collection: str
    schema_version: str
    previous_schema_version: str
    phase: Phase
    rolled_back: bool
    window_open: bool


def require_none_running(runs: Sequence[MigrationRun]) -> None:
    """Raise Conflict while a run is in progress."""
    if any(run.status == "in_progress" for run in runs):
        raise Conflict("Há uma migração em andamento: espere que termine.", code="migration-running")


def choose_abortable(runs: Sequence[MigrationRun], migration_id: str | None) -> MigrationRun:
    """Choose the run to abort from all runs.

    Raises NotFound for an unknown `migration_id`, and Conflict if the run is not in progress or already switching.
    """
    if migration_id is not None and all(run.id != migration_id for run in runs):
        raise NotFound(UNKNOWN, code="migration-unknown")
    running = [run for run in runs if run.status == "in_progress" and migration_id in (None, run.id)]
    if not running:
        raise Conflict("Não há migração em andamento a abortar.", code="migration-not-running")
    if running[0].phase == "switching":
        raise Conflict("A migração já está na troca: espere que termine e desfaça-a.", code="migration-switching")
    return running[0]


def choose_revocable(runs: Sequence[MigrationRun], migration_id: str | None) -> MigrationRun:
    """Choose the run to roll back. `runs` are all runs, newest first.

    Raises Conflict if the run cannot be rolled back, and NotFound for an unknown `migration_id` or if there is no run.
    """
    require_none_running(runs)
    completed = [run for run in runs if run.status == "completed"]
    chosen = _find_named(runs, completed, migration_id) if migration_id is not None else _find_newest(completed)
    if chosen.rolled_back:
        raise Conflict("Esta migração já foi desfeita.", code="migration-rolled-back")
    if not chosen.window_open:
        raise window_over()
    return chosen


def window_over() -> Conflict:
    """Return the error for a rollback after the end of its window."""
    return Conflict("O prazo para desfazer esta migração terminou.", code="migration-window-over")


def is_revocable(runs: Sequence[MigrationRun], run: MigrationRun) -> bool:
    """Return whether this run could be rolled back now."""
    try:
        return choose_revocable(runs, run.id) is run
    except Conflict:
        return False


def _find_named(runs: Sequence[MigrationRun], completed: Sequence[MigrationRun], migration_id: str) -> MigrationRun:
    found = next((run for run in runs if run.id == migration_id), None)
    if found is None:
        raise NotFound(UNKNOWN, code="migration-unknown")
    if found not in completed[:1]:
        raise Conflict("Só a migração concluída mais recente pode ser desfeita.", code="migration-not-newest")
    return found


def _find_newest(completed: Sequence[MigrationRun]) -> MigrationRun:
    """Return the newest run that was not rolled back. Raises NotFound if there is no such run.

    If the newest migration was rolled back, this is an older one. The caller rejects it, because the newer migration
    closed its window.
    """
    standing = [run for run in completed if not run.rolled_back]
    if not standing:
        raise NotFound(NOTHING, code="nothing-to-roll-back")
    return standing[0]
