"""SQL of the notification preferences."""

from collections.abc import Mapping

import msgspec

from balcao.core.database.batching import Lookup
from balcao.core.database.pool import Connection, Database, Row, json_text
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.preferences.schemas import Preferences

# One row always: without a choice of the citizen's the categories' defaults show, and their newest change as time.
BY_CPF = Lookup(
    "text",
    """
SELECT asked.key,
       coalesce(preferences.opt_in, true) AS opt_in,
       categories.opt_ins,
       coalesce(preferences.updated_at, categories.updated_at) AS updated_at
FROM asked
CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(category.id, coalesce(choice.opt_in, category.default_opt_in))
               FILTER (WHERE category.active)::text AS opt_ins,
           max(category.updated_at) AS updated_at
    FROM registry.notification_category AS category
    LEFT JOIN registry.preference_choice AS choice ON choice.category_id = category.id AND choice.cpf = asked.key
) AS categories
LEFT JOIN registry.preferences ON preferences.cpf = asked.key
""",
)


async def find(database: Database, cpf: Cpf) -> Preferences:
    """Return the preferences by a look-up that other callers share; the caller's right has been checked."""
    return _preferences(cpf, await database.fetch_by_key(BY_CPF, cpf.digits))


async def read(connection: Connection, cpf: Cpf) -> Preferences:
    """Return the preferences as this transaction sees them."""
    return _preferences(cpf, await connection.fetchrow(BY_CPF.of_one, cpf.digits))


def _preferences(cpf: Cpf, row: Row | None) -> Preferences:
    assert row is not None  # an aggregate without GROUP BY
    opt_ins = msgspec.json.decode(row["opt_ins"] or "{}", type=dict[str, bool])
    return Preferences(cpf.digits, row["opt_in"], opt_ins, row["updated_at"])


# There is no row to lock before the first change. Whoever reads to decide does it in a later statement, so that it sees
# what the holder before it has committed.
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('registry.preferences:' || $1, 0))"


async def lock(connection: Connection, cpf: Cpf) -> None:
    """Until the transaction ends nobody else changes this citizen's preferences."""
    await connection.execute(_LOCK, cpf.digits)


_KEEP = """
INSERT INTO registry.preferences (cpf, opt_in, updated_at) VALUES ($1, $2, $3)
ON CONFLICT (cpf) DO UPDATE SET opt_in = excluded.opt_in, updated_at = excluded.updated_at
"""


async def keep(connection: Connection, cpf: Cpf, preferences: Preferences) -> None:
    """The global flag and the time of the citizen's last change."""
    await connection.execute(_KEEP, cpf.digits, preferences.opt_in, preferences.updated_at)


# Also a choice that says what the default says: it stays when the default changes.
_KEEP_CHOICES = """
INSERT INTO registry.preference_choice AS held (cpf, category_id, opt_in, updated_at)
SELECT $1, choice.key, choice.value::boolean, clock_timestamp() FROM jsonb_each($2::jsonb) AS choice
ON CONFLICT (cpf, category_id) DO UPDATE SET opt_in = excluded.opt_in, updated_at = excluded.updated_at
WHERE held.opt_in <> excluded.opt_in
"""


async def keep_choices(connection: Connection, cpf: Cpf, choices: Mapping[str, bool]) -> None:
    if choices:
        await connection.execute(_KEEP_CHOICES, cpf.digits, json_text(choices))


_COUNT = """
SELECT (SELECT count(*) FROM registry.preferences WHERE cpf = $1)
     + (SELECT count(*) FROM registry.preference_choice WHERE cpf = $1)
"""


async def count(connection: Connection, cpf: Cpf) -> int:
    """Return how many rows are the citizen's: the global flag and the choices."""
    found: int = await connection.fetchval(_COUNT, cpf.digits)
    return found
