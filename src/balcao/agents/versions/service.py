"""Saving versions, moving the active pointer, and reading a configuration (rules: agents 4)."""

from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from balcao.agents.versions import store
from balcao.agents.versions.cache import ConfigCache
from balcao.agents.versions.content import EMPTY, AgentContent, classify_change, inherit
from balcao.agents.versions.schemas import AgentConfig, Save
from balcao.agents.versions.store import AgentVersion
from balcao.core.context.call import Author, Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden, Invalid, NotFound
from balcao.core.http.responses import Ready
from balcao.core.values.clock import format_rfc3339_offset, utc_now

ACTIVATE = "agent_config:activate"
RESET_REASON = "volta ao conteúdo padrão"
DEFAULT_TOOLS = ["google_search", "public_services_grounded_search"]


class Saved(msgspec.Struct, frozen=True):
    """`new` is false when the content was the active version's already; `active` when the version is the active one."""

    version: AgentVersion
    new: bool
    active: bool


class Moved(msgspec.Struct, frozen=True):
    """The version that is active now, and the number of the one that was."""

    version: AgentVersion
    previous: int | None


async def read_config(call: Call, config_id: str) -> Ready:
    """Return the response for a checked id. Raises NotFound, also for an id that cannot be one of ours."""
    known = parse_id(config_id)
    if known is None:
        raise _make_unknown()
    cache = call.platform.part(ConfigCache)
    return cache.get(known) or cache.add(known, await _load_config(call, known))


async def read_active_config(call: Call, agent_type: str) -> AgentConfig:
    """Return the active version's configuration. Raises NotFound when no version is active."""
    async with call.platform.database.connection() as connection:
        row = await store.read_active_config(connection, agent_type)
    if row is None:
        raise NotFound("Este tipo de agente não tem versão ativa.", code="agent-not-found")
    return _to_config(row)


async def save_version(call: Call, body: Save, at: datetime | None = None) -> Saved:
    """Save a version as of `at` (now unless given); content that is active already makes none.

    Raises Invalid without any content, Conflict when `expected_version` is not active, and Forbidden for `activate`
    without the action that it needs.
    """
    if not body.content:
        names = ", ".join(f"`{name}`" for name in body.list_content_names())
        raise Invalid(f"Envie ao menos um campo de conteúdo: {names}.", code="content-missing")
    if body.activate and not call.holds(ACTIVATE):
        raise Forbidden()
    async with call.platform.database.transaction() as connection:
        await store.create_agent(connection, body.agent_type)
        before = await _lock_agent(connection, body.agent_type, body.expected_version)
        active = None if before is None else await _read_existing(connection, body.agent_type, before)
        content = inherit(active.content if active else EMPTY, body.content)
        if active and active.content_hash == content.hash:
            return Saved(active, new=False, active=True)
        saved = await _insert(call, connection, body, active, content, at)
        await call.platform.audit.record(connection, call, "create", fields=sorted(body.content))
        if body.activate:
            await _move_pointer(call, connection, body.agent_type, (before, saved.version), "save", body.reason, at)
        return Saved(saved, new=True, active=body.activate)


async def reset(call: Call, agent_type: str) -> AgentVersion:
    """Save the default content as a new version and make it active; the older ones stay. Return the new one."""
    body = Save(agent_type=agent_type, reason=RESET_REASON)
    async with call.platform.database.transaction() as connection:
        await store.create_agent(connection, agent_type)
        before = await _lock_agent(connection, agent_type)
        active = None if before is None else await _read_existing(connection, agent_type, before)
        saved = await _insert(call, connection, body, active, _make_default(call), None)
        await call.platform.audit.record(connection, call, "create", fields=["default_content"])
        await _move_pointer(call, connection, agent_type, (before, saved.version), "reset", body.reason, None)
        return saved


async def activate(
    call: Call, agent_type: str, version: int, reason: str, expected: int | None = None, at: datetime | None = None
) -> Moved:
    """Make a version the active one.

    Raises NotFound for an unknown or hidden one, Conflict as `save_version`.
    """
    async with call.platform.database.transaction() as connection:
        before = await _lock_agent(connection, agent_type, expected)
        target_version = await _read_visible(connection, agent_type, version)
        await _move_pointer(call, connection, agent_type, (before, version), "activate", reason, at)
        return Moved(target_version, before)


async def roll_back(
    call: Call,
    agent_type: str,
    reason: str,
    to: int | None = None,
    expected: int | None = None,
    at: datetime | None = None,
) -> Moved:
    """Activate the version active before the present one, or `to`, which must have been active once (else Conflict)."""
    async with call.platform.database.transaction() as connection:
        before = await _lock_agent(connection, agent_type, expected)
        target = to or await store.read_previous_version(connection, agent_type)
        if target is None:
            raise Conflict("Nenhuma versão esteve ativa antes desta.", code="nothing-before")
        target_version = await _read_visible(connection, agent_type, target)
        if not await store.was_active(connection, agent_type, target):
            raise Conflict("Esta versão nunca esteve ativa: use a ativação.", code="never-active")
        await _move_pointer(call, connection, agent_type, (before, target), "rollback", reason, at)
        return Moved(target_version, before)


async def hide(call: Call, agent_type: str, version: int, reason: str, at: datetime | None = None) -> AgentVersion:
    """Leave a version out of histories for ever. Raises NotFound, Conflict for the active one."""
    async with call.platform.database.transaction() as connection:
        before = await _lock_agent(connection, agent_type)
        target_version = await _read_existing(connection, agent_type, version)
        if before == version:
            raise Conflict("A versão está ativa: ative outra antes de ocultá-la.", code="version-active")
        if await store.hide(connection, target_version.version_id, call.author.name, at or utc_now(), reason):
            await call.platform.audit.record(connection, call, "update", fields=["hidden"])
        return target_version


async def read_last_number(call: Call, agent_type: str) -> int:
    """Return the newest version's number, hidden ones counted; 0 before the first."""
    async with call.platform.database.connection() as connection:
        return await store.read_last_number(connection, agent_type)


async def read_version(call: Call, agent_type: str, version: int) -> AgentVersion:
    """Return a version, also a hidden one. Raises NotFound."""
    async with call.platform.database.connection() as connection:
        return await _read_existing(connection, agent_type, version)


async def _load_config(call: Call, config_id: UUID) -> Ready:
    row = await store.read_config(call.platform.database, config_id)
    if row is None:
        raise _make_unknown()
    return Ready.of(_to_config(row))


def _to_config(row: dict[str, Any]) -> AgentConfig:
    return AgentConfig(**row | {"created_at": format_rfc3339_offset(row["created_at"])})


async def _insert(
    call: Call,
    connection: Connection,
    body: Save,
    active: AgentVersion | None,
    content: AgentContent,
    at: datetime | None,
) -> AgentVersion:
    """Insert a version on the base of the active one; the agent's row is locked."""
    number = await store.insert(
        connection,
        body.agent_type,
        content,
        classify_change(active.content if active else EMPTY, content),
        active.version if active else None,
        _find_author(call, body.author),
        body.reason,
        at or utc_now(),
    )
    return await _read_existing(connection, body.agent_type, number)


def _find_author(call: Call, named: str | None) -> Author:
    """Return who saves: a machine may name whom it acts for, a person is whom the token says."""
    if named is not None and call.actor_kind == "client":
        return Author(named, call.author.subject)
    return call.author


def _make_default(call: Call) -> AgentContent:
    settings = call.platform.settings
    return AgentContent(
        prompt=settings.agent_default_prompt,
        tools=DEFAULT_TOOLS,
        model_name=settings.agent_default_model,
        embedding_name=settings.agent_default_embedding,
    )


async def _lock_agent(connection: Connection, agent_type: str, expected: int | None = None) -> int | None:
    """Return the number of the active version, which nobody else moves until this transaction ends."""
    if not await store.lock(connection, agent_type):
        raise NotFound("Tipo de agente não encontrado.", code="agent-not-found")
    active = await store.read_active_version(connection, agent_type)
    if expected is not None and expected != active:
        raise Conflict("A versão ativa não é a esperada: leia de novo e repita.", code="version-changed")
    return active


async def _read_existing(connection: Connection, agent_type: str, version: int) -> AgentVersion:
    found = await store.read(connection, agent_type, version)
    if found is None:
        raise NotFound("Versão não encontrada.", code="version-not-found")
    return found


async def _read_visible(connection: Connection, agent_type: str, version: int) -> AgentVersion:
    found = await _read_existing(connection, agent_type, version)
    if found.hidden:
        raise NotFound("Versão não encontrada.", code="version-not-found")
    return found


async def _move_pointer(
    call: Call,
    connection: Connection,
    agent_type: str,
    moved: tuple[int | None, int],
    kind: str,
    reason: str,
    at: datetime | None,
) -> None:
    """Point at the second of `moved` and log the move; where it points already nothing happens."""
    before, after = moved
    if before == after:
        return
    await store.set_active_version(connection, agent_type, after)
    await store.insert_activation(connection, agent_type, moved, kind, reason, call.author.name, at or utc_now())
    await call.platform.audit.record(connection, call, "update", fields=["active_version"])


def parse_id(text: str) -> UUID | None:
    """Return the id of a version, its configuration or its prompt; None for a text that cannot be one."""
    try:
        found = UUID(text)
    except ValueError:
        return None
    return found if str(found) == text.lower() else None


def _make_unknown() -> NotFound:
    return NotFound("Configuração não encontrada.", code="config-not-found")
