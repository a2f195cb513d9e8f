"""The phone verification as personal data: a number not yet theirs, which the export file has no member for."""

from collections.abc import Sequence
from datetime import datetime

from balcao.core.audit.personal_data import Cleared, PersonalData
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.phones import store


async def _erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    """Erase a verification that was asked for before the anonymisation."""
    count = await store.erase_covered_verifications(connection, cpf, at)
    return [Cleared("phone_verification", count, ["telefone"])]


PERSONAL_DATA = PersonalData("phones", erase=_erase, by_event=True, tables=("registry.phone_verification",))


async def _expired(_: Call, connection: Connection) -> Swept:
    checked = await store.count_verifications(connection)
    return Swept(checked, await store.erase_expired_verifications(connection))


RETENTION = [Retention("phone_verification", _expired)]
