"""SQL for deliveries to webhooks. `core/webhooks` stores the webhooks themselves."""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.values.page import Page
from balcao.core.webhooks.service import Try
from balcao.health_units.feed.schemas import Tipo

# The number of attempts that are stored for a message and its replays. Older attempts are dropped.
MOST_TRIES = 20


class StoredTry(msgspec.Struct):
    """The time of an attempt, and its error code, or None if it succeeded."""

    em: datetime
    erro: str | None


class StoredDelivery(NamedTuple):
    """A message with its attempts. `tipo` and `cnes` are None for a test or if the feed no longer stores the change."""

    mensagem: str
    sequencia: int | None
    tipo: Tipo | None
    cnes: str | None
    entregue_em: datetime | None
    ultimo_erro: str | None
    tentativas: list[StoredTry]
    ativo: bool
    pode_reenviar: bool


# If the webhook was deleted in the meantime, the SELECT from `webhooks` finds no row, so nothing is stored.
@statement(f"""
INSERT INTO health_units.webhook_deliveries AS stored
    (aviso, mensagem, sequencia, ultima_em, entregue_em, ultimo_erro, tentativas)
SELECT id, :message, :number::bigint, now(), CASE WHEN :error::text IS NULL THEN now() END, :error,
       jsonb_build_array(jsonb_build_object('em', now(), 'erro', :error::text))
FROM health_units.webhooks WHERE id = :webhook
ON CONFLICT (aviso, mensagem) DO UPDATE SET
    ultima_em = excluded.ultima_em, entregue_em = coalesce(excluded.entregue_em, stored.entregue_em),
    ultimo_erro = excluded.ultimo_erro,
    tentativas = CASE WHEN jsonb_array_length(stored.tentativas) < {MOST_TRIES} THEN stored.tentativas
                      ELSE stored.tentativas - 0 END || excluded.tentativas
""")
async def note_unit_delivery_try(connection: Connection, made: Try) -> None:
    """Record the result of an attempt to call a webhook."""


_DELIVERY = """
SELECT mensagem, delivery.sequencia, change.tipo, change.cnes, entregue_em, delivery.ultimo_erro, tentativas,
       webhook.ativo,
       delivery.sequencia IS NULL OR change.sequencia IS NOT NULL AS pode_reenviar
FROM health_units.webhook_deliveries AS delivery
JOIN health_units.webhooks AS webhook ON webhook.id = delivery.aviso
LEFT JOIN health_units.change_feed AS change ON change.sequencia = delivery.sequencia
WHERE aviso = :id
"""


@statement(
    page_sql(
        f"""{_DELIVERY} AND (NOT :failed OR entregue_em IS NULL)
            ORDER BY ultima_em DESC, mensagem LIMIT :limit OFFSET :offset""",
        """SELECT count(*) FROM health_units.webhook_deliveries
           WHERE aviso = :id AND (NOT :failed OR entregue_em IS NULL)""",
    )
)
async def select_unit_deliveries(connection: Connection, id: UUID, failed: bool, page: Page) -> Paged[StoredDelivery]:
    """Return the page's deliveries, newest first, and the number of deliveries on all pages.

    If `failed` is set, only deliveries that the receiver has not accepted are included.
    """


@statement(f"{_DELIVERY} AND mensagem = :message FOR UPDATE OF delivery")
async def lock_unit_delivery(connection: Connection, id: UUID, message: str) -> StoredDelivery | None:
    """Lock a delivery until the transaction ends, and return it."""


@statement("SELECT count(*) FROM health_units.webhook_deliveries")
async def count_unit_deliveries(connection: Connection) -> int: ...


@statement("DELETE FROM health_units.webhook_deliveries WHERE ultima_em < now() - :age::interval")
async def delete_old_unit_deliveries(connection: Connection, age: timedelta) -> int: ...
