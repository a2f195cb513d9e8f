"""SQL of the notification preferences."""

import msgspec

from balcao.core.cpf import Cpf
from balcao.core.database import Connection
from balcao.registry.notifications.schemas import Preferences

# One row always: without a choice of the citizen's the categories' defaults show, and their newest change as time.
_READ = """
SELECT coalesce(preferences.opt_in, true) AS opt_in,
       categories.opt_ins,
       coalesce(preferences.updated_at, categories.updated_at) AS updated_at
FROM (
    SELECT jsonb_object_agg(category.id, coalesce(choice.opt_in, category.default_opt_in))
               FILTER (WHERE category.active)::text AS opt_ins,
           max(category.updated_at) AS updated_at
    FROM registry.notification_category AS category
    LEFT JOIN registry.preference_choice AS choice ON choice.category_id = category.id AND choice.cpf = $1
) AS categories
LEFT JOIN registry.preferences ON preferences.cpf = $1
"""


async def read(connection: Connection, cpf: Cpf) -> Preferences:
    row = await connection.fetchrow(_READ, cpf.digits)
    assert row is not None  # an aggregate without GROUP BY
    opt_ins = msgspec.json.decode(row["opt_ins"] or "{}", type=dict[str, bool])
    return Preferences(cpf.digits, row["opt_in"], opt_ins, row["updated_at"])
