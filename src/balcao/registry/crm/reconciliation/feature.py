"""The reconciliation: what events were lost is read from the CRM again."""

from collections.abc import Mapping, Sequence

from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.jobs.declaration import DeadJobs, Subject
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.reconciliation import api, store
from balcao.registry.crm.reconciliation.jobs import JOBS


async def _no_subjects(_: Connection, __: Sequence[str]) -> Mapping[str, Subject]:
    """Return nobody: a run is about whoever has changed."""
    return {}


async def _no_runs(_: Connection, __: Cpf) -> Sequence[str]:
    return ()


async def _sweep(_: Call, connection: Connection) -> Swept:
    checked = await store.count(connection)
    return Swept(checked, await store.delete_old(connection))


FEATURE = Feature(
    routes=api.routes.declared,
    jobs=JOBS,
    retention=[Retention("crm_reconciliation", _sweep)],
    dead_jobs=[DeadJobs(store.RECONCILE_JOB, "run", _no_subjects, _no_runs, store.give_up)],
    exports=Exports(tables=("registry.crm_reconciliation",)),
)
