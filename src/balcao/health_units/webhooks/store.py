"""SQL of the webhooks."""

from datetime import datetime
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import affected
from balcao.health_units.webhooks.schemas import WebhookBody


class StoredWebhook(msgspec.Struct, frozen=True):
    """A webhook as it is stored, but for its secrets."""

    id: UUID
    url: str
    descricao: str | None
    unidades: list[str]
    ativo: bool
    criado_em: datetime
    ultima_entrega_em: datetime | None
    ultima_falha_em: datetime | None
    ultimo_erro: str | None


_MEMBERS = "id, url, descricao, unidades, ativo, criado_em, ultima_entrega_em, ultima_falha_em, ultimo_erro"
_LIST = f"SELECT {_MEMBERS} FROM health_units.webhooks ORDER BY criado_em, id"


async def list_webhooks(connection: Connection) -> list[StoredWebhook]:
    return [msgspec.convert(dict(row), StoredWebhook) for row in await connection.fetch(_LIST)]


_READ = f"SELECT {_MEMBERS} FROM health_units.webhooks WHERE id = $1"


async def read(connection: Connection, id: UUID) -> StoredWebhook | None:
    return _to_webhook(await connection.fetchrow(_READ, id))


# Two who add at the same time may make one more than the bound, which harms nobody.
_ADD = f"""
INSERT INTO health_units.webhooks (id, url, descricao, unidades, ativo, segredo, criado_em)
SELECT $1, $2, $3, $4, $5, $6, now() WHERE (SELECT count(*) FROM health_units.webhooks) < $7
RETURNING {_MEMBERS}
"""


async def add(connection: Connection, id: UUID, body: WebhookBody, secret: bytes, most: int) -> StoredWebhook | None:
    """Add a webhook; None where there are as many as there may be."""
    row = await connection.fetchrow(_ADD, id, body.url, body.descricao, body.unidades, body.ativo, secret, most)
    return _to_webhook(row)


_REPLACE = f"""
UPDATE health_units.webhooks SET url = $2, descricao = $3, unidades = $4, ativo = $5 WHERE id = $1
RETURNING {_MEMBERS}
"""


async def replace(connection: Connection, id: UUID, body: WebhookBody) -> StoredWebhook | None:
    row = await connection.fetchrow(_REPLACE, id, body.url, body.descricao, body.unidades, body.ativo)
    return _to_webhook(row)


_RENEW = f"""
UPDATE health_units.webhooks
SET segredo_anterior = segredo, anterior_ate = now() + interval '24 hours', segredo = $2
WHERE id = $1
RETURNING {_MEMBERS}
"""


async def renew_secret(connection: Connection, id: UUID, secret: bytes) -> StoredWebhook | None:
    return _to_webhook(await connection.fetchrow(_RENEW, id, secret))


_DELETE = "DELETE FROM health_units.webhooks WHERE id = $1"


async def delete(connection: Connection, id: UUID) -> bool:
    """Return whether there was one."""
    return affected(await connection.execute(_DELETE, id)) > 0


_DESTINATION = """
SELECT url, array_remove(ARRAY[segredo, CASE WHEN anterior_ate > now() THEN segredo_anterior END], NULL) AS segredos
FROM health_units.webhooks WHERE id = $1 AND ativo
"""


async def read_destination(connection: Connection, id: UUID) -> Row | None:
    """Return where to send and the secrets to sign with; None for a webhook that is gone or switched off."""
    return await connection.fetchrow(_DESTINATION, id)


_DELIVERED = "UPDATE health_units.webhooks SET ultima_entrega_em = now(), ultimo_erro = NULL WHERE id = $1"


async def note_delivery(connection: Connection, id: UUID) -> None:
    await connection.execute(_DELIVERED, id)


_FAILED = """
UPDATE health_units.webhooks SET ultima_falha_em = now(), ultimo_erro = $2, ativo = ativo AND NOT $3 WHERE id = $1
"""


async def note_failure(connection: Connection, id: UUID, error: str, *, gone: bool) -> None:
    """Store the error's code; `gone` switches the webhook off."""
    await connection.execute(_FAILED, id, error, gone)


def _to_webhook(row: Row | None) -> StoredWebhook | None:
    return None if row is None else msgspec.convert(dict(row), StoredWebhook)
