"""Read the progress of imports, for operators."""

from balcao.core.context.call import Call
from balcao.core.imports.declaration import KnownImport
from balcao.core.imports.store import list_import_runs as list_known_imports
from balcao.registry.operation.imports.schemas import Imports, ImportState


async def list_imports(call: Call) -> Imports:
    """Return the progress of the most recent import of each kind of data, unfinished imports first."""
    async with call.platform.database.connection() as connection:
        return Imports([_describe(one) for one in await list_known_imports(connection)])


def _describe(known: KnownImport) -> ImportState:
    return ImportState(
        kind=known.kind,
        state="done" if known.finished_at else "running" if known.is_running else "interrupted",
        size=known.size,
        byte_offset=known.byte_offset,
        lines=known.lines,
        changed=known.changed,
        unchanged=known.unchanged,
        refused=known.refused,
        skipped=known.skipped,
        started_at=known.started_at,
        committed_at=known.committed_at,
        finished_at=known.finished_at,
    )
