"""Which action each endpoint needs."""

from datetime import timedelta

from balcao.access.catalogue import service as catalogue
from balcao.access.catalogue.events import SYSTEM, CatalogueEvent
from balcao.access.mappings import api, store
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

UNSERVED = timedelta(days=1)
RETIRED = timedelta(days=90)


async def _retire_and_delete(call: Call, connection: Connection) -> Swept:
    """Retire what no release serves any more, a change of the catalogue, and delete what was retired long ago."""
    await catalogue.lock(connection)
    if retired := await store.retire_unserved(connection, UNSERVED):
        after = {"operations": [], "retired": [mapping["operation"] for mapping in retired]}
        event = CatalogueEvent("registration.sync", "mapping", before=retired, after=after)
        await catalogue.record(connection, [event.to_document(SYSTEM, call.request_id)])
    return Swept(*await store.delete_retired(connection, RETIRED))


FEATURE = Feature(
    routes=api.routes.declared,
    retention=(Retention("access_mapping", _retire_and_delete),),
    exports=Exports(tables=("access.endpoint_mapping",)),
)
