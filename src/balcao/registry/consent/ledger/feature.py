"""The ledger that proves consent. Anonymisation does not delete it. Its only route is declared with the preferences."""

from balcao.core.audit.personal_data import ExportMember, PersonalData, retain_rows
from balcao.core.audit.retention import OldRows
from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature
from balcao.registry.consent.ledger import service, store
from balcao.registry.consent.ledger.schemas import LedgerEntry

EXPORTED = ExportMember(
    "historico_preferencias",
    list[LedgerEntry],
    "Cada mudança das preferências de notificação, com data e origem.",
    50,
    store.list_ledger_entries,
)

FEATURE = Feature(
    retention=[OldRows("preference_ledger", store.count_all_ledger_entries, store.delete_old_chains, "5 years")],
    personal_data=PersonalData(
        "ledger",
        [EXPORTED],
        retain=retain_rows("preference_history", store.count_ledger_entries, service.PROOF_OF_CONSENT),
        tables=["registry.preference_ledger"],
    ),
    exports=Exports(tables=("registry.preference_ledger",)),
)
