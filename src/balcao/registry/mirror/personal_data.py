"""Export and erasure of the mirror's personal data."""

from collections.abc import Sequence
from datetime import datetime

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.mirror import outbox, outbox_store, store
from balcao.registry.mirror.records import ExportedConsent, ExportedField

CONSENT_FIELDS = ["categoria", "canal", "status", "acao", "data", "finalidade", "motivo"]


async def _erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
    covered = await store.find_covered_fields(connection, cpf, at)
    dirty = await outbox_store.list_dirty_fields(connection, cpf)
    await store.set_tombstone(connection, cpf, at)
    await outbox.drop_overridden_fields(connection, cpf)
    left = await outbox_store.list_dirty_fields(connection, cpf)
    clean = [field for field in dirty if field not in left]
    return [
        Cleared("mirrored_fields", len(covered.fields), covered.fields),
        Cleared("wordings", len(covered.wordings), covered.wordings),
        Cleared("crm_consents", covered.consents, CONSENT_FIELDS),
        Cleared("outbox", len(clean), clean),
    ]


# The erasure declared here applies only to anonymisations that start on the platform. `service.anonymise_mirror`
# handles `anonimizacao` events from the CRM.
PERSONAL_DATA = PersonalData(
    "mirror",
    [
        ExportMember(
            "autodeclarado",
            list[ExportedField],
            "O que o cidadão e o CRM declararam, campo a campo, com data e origem.",
            20,
            store.list_exported_fields,
        ),
        ExportMember(
            "consentimentos_crm",
            list[ExportedConsent],
            "Consentimentos como o CRM os informou.",
            30,
            store.list_exported_consents,
        ),
    ],
    _erase,
    tables=[
        "registry.mirror_head",
        "registry.register",
        "registry.wording",
        "registry.crm_consentimentos",
        "registry.outbox",
        "registry.login_write",
    ],
)
