"""SQL of the change feed."""

from typing import Any

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import fetch_count
from balcao.core.values.cnes import Cnes

# The counter's row lock is held until the commit, so numbers appear in their order; NOTIFY goes out with the commit.
_APPEND = """
WITH counter AS (
    UPDATE health_units.feed_counter SET last = last + 1, em = greatest(em, now()) RETURNING last, em
), entry AS (
    INSERT INTO health_units.change_feed (sequencia, tipo, cnes, em, dados)
    SELECT last, $1, $2, em, $3::jsonb FROM counter
    RETURNING sequencia
)
SELECT sequencia, pg_notify($4, sequencia::text) FROM entry
"""


async def append_change(connection: Connection, channel: str, tipo: str, cnes: Cnes, dados: Any) -> int:
    """Append an entry as of now and return its number.

    To be called last in a transaction: everybody else who writes waits for its end.
    """
    return await fetch_count(connection, _APPEND, tipo, cnes.digits, json_text(dados), channel)
