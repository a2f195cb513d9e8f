"""Imports and exports jobs as JSON lines."""

from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.core.feature import Feature
from balcao.core.imports.declaration import Import
from balcao.employability.hiring.transfer.schemas import JobRow
from balcao.employability.hiring.transfer.service import write_jobs
from balcao.employability.hiring.transfer.store import LINE

# Keep batches small, because a batch locks the rows that it changes until it commits. A batch of this size takes about
# 45 ms.
BATCH = 250

IMPORTS = [Import("jobs", JobRow, write_jobs, batch=BATCH)]
EXPORTS = Exports(
    [
        Export("jobs", Rows("employability.job", LINE, "stored.deleted_at IS NULL")),
        Export("deleted-jobs", Rows("employability.job", LINE, "stored.deleted_at IS NOT NULL")),
    ]
)

FEATURE = Feature(imports=IMPORTS, exports=EXPORTS)
