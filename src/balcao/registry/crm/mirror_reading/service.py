"""What is mirrored of a citizen, and which of it their record shows."""

from balcao.core.context.call import Call
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.mirror_reading.schemas import CrmMirror, MirroredField
from balcao.registry.mirror import service as mirror
from balcao.registry.person.citizens import choices


async def read_mirror(call: Call, cpf: Cpf) -> CrmMirror:
    """Empty for a citizen of whom nothing was ever written."""
    async with call.reading(cpf, ["crm_mirror"]) as connection:
        held = await mirror.read(connection, cpf)
        head = await mirror.read_head(connection, cpf)
    shown = choices.shown(held)
    fields = [
        MirroredField(name, register.value, register.at, register.origin, name in shown)
        for name, register in sorted(held.registers.items())
    ]
    return CrmMirror(cpf.digits, head.anonymised_at, head.consents_cleared_at, fields, head.consents)
