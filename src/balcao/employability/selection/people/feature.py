"""The people who apply, as the registry last described them."""

from collections.abc import Sequence
from datetime import datetime

from balcao.core.audit.personal_data import Cleared, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.core.values.cpf import Cpf
from balcao.employability.registry_people import PersonRecord
from balcao.employability.selection.people import service, store
from balcao.employability.selection.people.jobs import KINDS


async def _erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    return [Cleared("candidate_copy", await service.erase(connection, cpf), list(PersonRecord.__struct_fields__))]


# What it holds is exported by the registry, whose copy it is.
PERSONAL_DATA = PersonalData("candidate_copy", erase=_erase, tables=("employability.candidate",))


async def delete_unneeded(_: Call, connection: Connection) -> Swept:
    """Delete the copies of people without an application that names them."""
    checked = await store.count_copies(connection)
    return Swept(checked, await store.delete_unneeded_copies(connection))


RETENTION = [Retention("candidate_copy", delete_unneeded)]


FEATURE = Feature(
    jobs=KINDS, retention=RETENTION, personal_data=PERSONAL_DATA, exports=Exports(derived=("employability.candidate",))
)
