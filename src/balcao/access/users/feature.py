"""People that the catalogue knows, with their groups and roles."""

from datetime import timedelta

from balcao.access.users import api, store
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

UNSEEN = timedelta(days=731)


async def _forget_people(_: Call, connection: Connection) -> Swept:
    return Swept(*await store.forget(connection, UNSEEN))


FEATURE = Feature(
    routes=api.routes.declared,
    retention=(Retention("access_person", _forget_people),),
    exports=Exports(tables=("access.person", "access.person_role")),
)
