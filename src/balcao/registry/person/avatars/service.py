"""The avatars on offer, and which one a citizen has chosen."""

import re
from urllib.parse import urlsplit

from balcao.core.context.audit import recording
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Row
from balcao.core.errors import Invalid, NotFound
from balcao.core.http.paging import Page
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.core.values.text import clean
from balcao.registry.person.avatars import store
from balcao.registry.person.avatars.paths import UUID
from balcao.registry.person.avatars.schemas import Avatar, AvatarChoice, AvatarChoiceBody, Avatars, NewAvatar
from balcao.registry.person.settings import service as settings

NAME_LENGTH = 100
URL_LENGTH = 2048
NONE_CHOSEN = AvatarChoice(None, None)


async def list_active(call: Call, page: Page) -> Avatars:
    async with call.platform.database.connection() as connection:
        rows = await store.page(connection, page.limit, page.offset)
        counted = page.of(await store.count(connection))
    data = [_avatar(call.platform, row) for row in rows]
    return Avatars(data, counted.page, counted.per_page, counted.total, counted.total_pages)


async def image_of(call: Call, id_: str) -> str:
    """The name of a shipped avatar's figure. Raises NotFound."""
    async with call.platform.database.connection() as connection:
        image = await store.image(connection, _known(id_))
    if image is None:
        raise _unknown()
    return image


async def create(call: Call, body: NewAvatar) -> Avatar:
    name, url = clean("name", body.name, longest=NAME_LENGTH), _https(body.url)
    async with call.platform.database.transaction() as connection:
        row = await store.add(connection, new_id(), name, url)
        await call.platform.audit.record(connection, call, "create", fields=["avatar"])
    return _avatar(call.platform, row)


async def deactivate(call: Call, id_: str) -> None:
    """Clears it from every citizen who chose it; again is as once. Raises NotFound."""
    async with call.platform.database.transaction() as connection:
        if not await store.deactivate(connection, _known(id_)):
            raise _unknown()
        await settings.clear_avatar(connection, id_)
        await call.platform.audit.record(connection, call, "delete", fields=["avatar"])


async def read_choice(call: Call, cpf: Cpf) -> AvatarChoice:
    async with call.reading(cpf, ["avatar"]) as connection:
        return await _chosen(connection, call.platform, cpf)


async def choose(call: Call, cpf: Cpf, body: AvatarChoiceBody) -> AvatarChoice:
    """Raises NotFound for an avatar that is unknown or no longer offered."""
    trail = call.platform.audit.encode_event(call, "update", subject=cpf, fields=["avatar_id"])
    with recording():
        async with call.platform.database.connection() as connection:
            if body.avatar_id is None:
                await settings.remove_avatar(connection, cpf, trail)
                return NONE_CHOSEN
            row = await store.active(connection, _known(body.avatar_id))
            if row is None or not await settings.set_avatar(connection, cpf, row["id"], trail):
                raise _unknown()
    return _choice(call.platform, row)


async def _chosen(connection: Connection, platform: Platform, cpf: Cpf) -> AvatarChoice:
    id_ = await settings.avatar(connection, cpf)
    row = await store.active(connection, id_) if id_ else None
    return _choice(platform, row) if row else NONE_CHOSEN


def _choice(platform: Platform, row: Row) -> AvatarChoice:
    avatar = _avatar(platform, row)
    return AvatarChoice(avatar.id, avatar)


def _avatar(platform: Platform, row: Row) -> Avatar:
    """A shipped one lies where the platform is reached."""
    url = row["url"] or f"{platform.settings.base_url}/registry/v1/avatars/{row['id']}/image"
    return Avatar(row["id"], row["name"], url, row["is_active"], row["created_at"])


def _known(id_: str) -> str:
    """Raises NotFound for what cannot be an id."""
    if not re.fullmatch(UUID, id_):
        raise _unknown()
    return id_


def _unknown() -> NotFound:
    return NotFound("Não há avatar com este identificador.", code="avatar-unknown")


def _https(text: str) -> str:
    """An address that a page of the city can show: https, a host, nobody's user name."""
    url = clean("url", text, longest=URL_LENGTH)
    try:
        parts = urlsplit(url)
        fits = parts.scheme == "https" and parts.hostname and parts.username is None and parts.port != 0
    except ValueError:
        fits = False
    if not fits or re.search(r"[\s\\<>\"'`]", url):
        raise Invalid("O campo `url` deve ser um endereço `https://` completo, sem espaços.", code="url-invalid")
    return url
