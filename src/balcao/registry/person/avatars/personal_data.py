"""What this room holds of a person: the avatar that they chose."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, Holding
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.avatars import store
from balcao.registry.person.settings import service as settings


async def exported(connection: Connection, cpf: Cpf) -> dict[str, Any]:
    id_ = await settings.avatar(connection, cpf)
    row = await store.active(connection, id_) if id_ else None
    return {"avatar": {"id": row["id"], "name": row["name"]} if row else None}


async def cleared(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    had = await settings.remove_avatar(connection, cpf)
    return [Cleared("avatar", int(had), ["avatar_id"])]


HOLDING = Holding("avatars", exported, cleared)
