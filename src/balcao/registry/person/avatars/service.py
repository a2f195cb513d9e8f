"""The avatars that citizens can choose, and a citizen's choice."""

from balcao.core.context.audit import guard_audit_write
from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.values.addresses import is_https_address
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import is_uuid, new_id
from balcao.core.values.page import Page
from balcao.core.values.text import clean_text
from balcao.registry.person.avatars import store
from balcao.registry.person.avatars.pictures import embed_picture
from balcao.registry.person.avatars.schemas import (
    Avatar,
    AvatarChoice,
    AvatarChoiceBody,
    AvatarCreation,
    Avatars,
    ExportedAvatar,
)
from balcao.registry.person.avatars.store import StoredAvatar
from balcao.registry.person.settings.store import (
    clear_chosen_avatar,
    read_chosen_avatar,
    remove_chosen_avatar,
    set_chosen_avatar,
)

NAME_LENGTH = 100
URL_LENGTH = 2048
NONE_CHOSEN = AvatarChoice(None, None)


async def list_active_avatars(call: Call, page: Page) -> Avatars:
    async with call.reader.connection() as connection:
        stored = await store.list_offered_avatars(connection, page)
        counted = page.of(await store.count_offered_avatars(connection))
    data = [_to_avatar(call.platform, each) for each in stored]
    return Avatars(data, counted.page, counted.per_page, counted.total, counted.total_pages)


async def find_avatar_image(call: Call, id_: str) -> str:
    """Return the name of a built-in avatar's picture. Raises NotFound if the avatar is unknown or not built-in."""
    image = await store.read_avatar_image(call.reader, _require_id(id_))
    if image is None:
        raise _unknown()
    return image


async def create_avatar(call: Call, body: AvatarCreation) -> Avatar:
    name, url = clean_text("name", body.name, longest=NAME_LENGTH), _check_address(body.url)
    async with call.platform.database.transaction() as connection:
        stored = await store.insert_avatar(connection, new_id(), name, url)
        await call.platform.audit.record(connection, call, "create", fields=["avatar"])
    return _to_avatar(call.platform, stored)


async def deactivate_avatar(call: Call, id_: str) -> None:
    """Stop offering the avatar, and clear it from every citizen who chose it.

    An avatar that is already inactive raises no error.

    Raises NotFound if it is unknown.
    """
    async with call.platform.database.transaction() as connection:
        if not await store.mark_avatar_inactive(connection, _require_id(id_)):
            raise _unknown()
        await clear_chosen_avatar(connection, id_)
        await call.platform.audit.record(connection, call, "delete", fields=["avatar"])


async def read_exported_choice(connection: Connection, cpf: Cpf) -> ExportedAvatar | None:
    """Return the person's chosen avatar if it is still offered."""
    chosen = await read_chosen_avatar(connection, cpf)
    avatar = await store.read_offered_avatar(connection, chosen) if chosen else None
    return ExportedAvatar(avatar.id, avatar.name) if avatar else None


async def read_avatar_choice(call: Call, cpf: Cpf) -> AvatarChoice:
    async with call.reading(cpf, ["avatar"]) as source:
        id_ = await read_chosen_avatar(source, cpf)
        stored = await store.read_offered_avatar(source, id_) if id_ else None
    return _to_choice(call.platform, stored) if stored else NONE_CHOSEN


async def choose_avatar(call: Call, cpf: Cpf, body: AvatarChoiceBody) -> AvatarChoice:
    """Choose an avatar, or remove the choice. Raises NotFound if the avatar is unknown or no longer offered."""
    trail = call.platform.audit.encode_event(call, "update", subject=cpf, fields=["avatar_id"])
    with guard_audit_write():
        async with call.platform.database.connection() as connection:
            if body.avatar_id is None:
                await remove_chosen_avatar(connection, cpf, trail)
                return NONE_CHOSEN
            stored = await store.read_offered_avatar(connection, _require_id(body.avatar_id))
            if stored is None or not await set_chosen_avatar(connection, cpf, stored.id, trail):
                raise _unknown()
    return _to_choice(call.platform, stored)


def _to_choice(platform: Platform, stored: StoredAvatar) -> AvatarChoice:
    avatar = _to_avatar(platform, stored)
    return AvatarChoice(avatar.id, avatar)


def _to_avatar(platform: Platform, stored: StoredAvatar) -> Avatar:
    """Convert a stored avatar to the wire type. The platform serves built-in pictures itself.

    Without TLS, as in the sandbox, the URL itself contains the picture, because portals show only pictures from https
    or `data:` URLs.
    """
    url = stored.url
    if url is None:
        assert stored.image is not None  # an avatar has a URL or a built-in picture
        served = f"{platform.settings.base_url}/registry/v1/avatars/{stored.id}/image"
        url = served if is_https_address(served) else embed_picture(stored.image)
    return Avatar(stored.id, stored.name, url, stored.is_active, stored.created_at)


def _require_id(id_: str) -> str:
    """Return the id if it is valid. Raises NotFound otherwise."""
    if not is_uuid(id_):
        raise _unknown()
    return id_


def _unknown() -> NotFound:
    return NotFound("Não há avatar com este identificador.", code="avatar-unknown")


def _check_address(text: str) -> str:
    """Return the URL if the city's pages can show it: https, with a host and without a user name.

    Raises Invalid for any other string.
    """
    url = clean_text("url", text, longest=URL_LENGTH)
    if not is_https_address(url):
        raise Invalid("O campo `url` deve ser um endereço `https://` completo, sem espaços.", code="url-invalid")
    return url
