"""What this room holds of a person: the preferences and their proof, which an anonymisation leaves as they are."""

from collections.abc import Sequence
from typing import Any

from balcao.core.audit.personal_data import Holding, Kept
from balcao.core.audit.retention import Retention, Swept
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.ledger import service as ledger
from balcao.registry.consent.preferences import store


async def exported(connection: Connection, cpf: Cpf) -> dict[str, Any]:
    return {
        "preferencias": await store.read(connection, cpf),
        "historico_preferencias": await ledger.whole_history(connection, cpf),
    }


BASIS = "Prova do consentimento."
LEDGER_KEPT = "5 years"
_COUNT = """
SELECT (SELECT count(*) FROM registry.preferences WHERE cpf = $1)
           + (SELECT count(*) FROM registry.preference_choice WHERE cpf = $1) AS preferences,
       (SELECT count(*) FROM registry.preference_ledger WHERE cpf = $1) AS ledger
"""


async def _kept(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
    row = await connection.fetchrow(_COUNT, cpf.digits)
    assert row is not None  # counts always have one
    return [Kept("preferences", row["preferences"], BASIS), Kept("preference_history", row["ledger"], BASIS)]


HOLDING = Holding(
    "notifications",
    exported,
    kept=_kept,
    tables=("registry.preferences", "registry.preference_choice", "registry.preference_ledger"),
)

_COUNT_LEDGER = "SELECT count(*) FROM registry.preference_ledger"
# A citizen's chain goes as a whole, so that what is left can be followed from its beginning.
_DELETE_LEDGER = """
DELETE FROM registry.preference_ledger WHERE cpf IN (
    SELECT cpf FROM registry.preference_ledger GROUP BY cpf HAVING max(timestamp) <= now() - $1::text::interval)
RETURNING true
"""


async def _ledger(_: Call, connection: Connection) -> Swept:
    checked = await connection.fetchval(_COUNT_LEDGER)
    return Swept(checked, len(await connection.fetch(_DELETE_LEDGER, LEDGER_KEPT)))


RETENTION = (Retention("preference_ledger", _ledger),)
