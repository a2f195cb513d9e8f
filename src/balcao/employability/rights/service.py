"""A person's rights to the data that this service stores: export and erasure."""

import msgspec

from balcao.core.audit.personal_data import DeclaredPersonalData
from balcao.core.context import idempotency
from balcao.core.context.call import Call
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.employability.schemas import Message


class EmployabilityPersonalData(DeclaredPersonalData):
    """The personal data that the features of this service declare. `Platform.part` finds it by this class."""


async def export_data(call: Call, cpf: Cpf) -> bytes:
    """Return everything that this service stores about the person as JSON, from one snapshot.

    The audit trail records the export. Raises TooMany if the person exceeds the rate limit.
    """
    platform = call.platform
    subject = platform.audit.key.hash_cpf(cpf) or b""
    await platform.limits.spend(platform.rate("export_limit"), call.operation, subject.hex())
    async with platform.database.transaction(isolation="repeatable_read") as connection:
        members = await platform.part(EmployabilityPersonalData).export(connection, cpf)
        await platform.audit.record(connection, call, "export", subject=cpf, fields=sorted(members))
    return msgspec.json.format(msgspec.json.encode({"exportado_em": utc_now(), **members}))


async def erase_data(call: Call, cpf: Cpf) -> Message:
    """Erase the person's data (rules: employability 5.4). This succeeds even if nothing is stored."""
    async with call.platform.database.transaction() as connection:
        now = utc_now()
        cleared = await call.platform.part(EmployabilityPersonalData).erase(connection, cpf, now)
        await idempotency.forget_person(connection, cpf, now)  # deletes the stored responses to POST
        fields = sorted({f"{one.kind}.{field}" for one in cleared for field in one.fields})
        await call.platform.audit.record(connection, call, "delete", subject=cpf, fields=fields)
    return Message("Os dados das vagas foram apagados.")
