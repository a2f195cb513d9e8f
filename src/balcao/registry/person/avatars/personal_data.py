"""The avatar that somebody chose as personal data."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from balcao.core.audit.personal_data import Cleared, ExportMember, PersonalData
from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf
from balcao.registry.person.avatars import store
from balcao.registry.person.avatars.schemas import ExportedAvatar
from balcao.registry.person.settings import service as settings


async def _export(connection: Connection, cpf: Cpf) -> Mapping[str, Any]:
    id_ = await settings.read_avatar(connection, cpf)
    avatar = await store.read_offered_avatar(connection, id_) if id_ else None
    return {"avatar": ExportedAvatar(avatar.id, avatar.name) if avatar else None}


async def _erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
    had = await settings.erase_avatar(connection, cpf)
    return [Cleared("avatar", int(had), ["avatar_id"])]


PERSONAL_DATA = PersonalData(
    "avatars",
    _export,
    _erase,
    members=(ExportMember("avatar", ExportedAvatar | None, "O avatar escolhido; nulo sem escolha.", 90),),
)
