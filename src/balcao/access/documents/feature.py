"""The catalogue as a document that is kept, compared and applied like code."""

from balcao.access.documents import api, store
from balcao.access.documents.service import PLAN_AGE
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature


async def _delete_old_plans(_: Call, connection: Connection) -> Swept:
    return Swept(*await store.delete_old_plans(connection, PLAN_AGE))


FEATURE = Feature(
    routes=api.routes.declared,
    retention=(Retention("access_plan", _delete_old_plans),),
    exports=Exports(derived=("access.plan",)),
)
