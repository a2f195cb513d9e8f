"""SQL of the webhooks."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
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


@statement(f"SELECT {_MEMBERS} FROM health_units.webhooks ORDER BY criado_em, id")
async def list_webhooks(connection: Connection) -> list[StoredWebhook]: ...


@statement(f"SELECT {_MEMBERS} FROM health_units.webhooks WHERE id = :id")
async def read_webhook(connection: Connection, id: UUID) -> StoredWebhook | None: ...


# Two who add at the same time may make one more than the bound, which harms nobody.
@statement(f"""
INSERT INTO health_units.webhooks (id, url, descricao, unidades, ativo, segredo, criado_em)
SELECT :id, :url, :descricao, :unidades, :ativo, :secret, now()
WHERE (SELECT count(*) FROM health_units.webhooks) < :most
RETURNING {_MEMBERS}
""")
async def insert_webhook(
    connection: Connection, id: UUID, body: WebhookBody, secret: bytes, most: int
) -> StoredWebhook | None:
    """Add a webhook; None where there are as many as there may be."""


@statement(f"""
UPDATE health_units.webhooks SET url = :url, descricao = :descricao, unidades = :unidades, ativo = :ativo WHERE id = :id
RETURNING {_MEMBERS}
""")
async def replace_webhook(connection: Connection, id: UUID, body: WebhookBody) -> StoredWebhook | None: ...


@statement(f"""
UPDATE health_units.webhooks
SET segredo_anterior = segredo, anterior_ate = now() + interval '24 hours', segredo = :secret
WHERE id = :id
RETURNING {_MEMBERS}
""")
async def renew_webhook_secret(connection: Connection, id: UUID, secret: bytes) -> StoredWebhook | None: ...


@statement("DELETE FROM health_units.webhooks WHERE id = :id")
async def delete_webhook(connection: Connection, id: UUID) -> bool:
    """Return whether there was one."""


class Destination(NamedTuple):
    """Where to send, and the secrets to sign with."""

    url: str
    segredos: list[bytes]


@statement("""
SELECT url, array_remove(ARRAY[segredo, CASE WHEN anterior_ate > now() THEN segredo_anterior END], NULL) AS segredos
FROM health_units.webhooks WHERE id = :id AND ativo
""")
async def read_destination(connection: Connection, id: UUID) -> Destination | None:
    """Return where to send; None for a webhook that is gone or switched off."""


@statement("UPDATE health_units.webhooks SET ultima_entrega_em = now(), ultimo_erro = NULL WHERE id = :id")
async def note_delivery(connection: Connection, id: UUID) -> None: ...


@statement("""
UPDATE health_units.webhooks
SET ultima_falha_em = now(), ultimo_erro = :error, ativo = ativo AND NOT :gone
WHERE id = :id
""")
async def note_failed_delivery(connection: Connection, id: UUID, error: str, *, gone: bool) -> None:
    """Store the error's code; `gone` switches the webhook off."""
