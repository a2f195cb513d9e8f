"""Save versions, change the active version and read configurations (rules: agents 4)."""

from datetime import datetime

import msgspec

from balcao.agents.versions import store
from balcao.agents.versions.cache import ConfigCache
from balcao.agents.versions.content import EMPTY, AgentContent, classify_change, inherit_content
from balcao.agents.versions.schemas import AgentConfig, Save
from balcao.agents.versions.store import AgentVersion, StoredConfig
from balcao.agents.webhooks import service as webhooks
from balcao.core.context.call import Author, Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.clock import format_rfc3339_offset, utc_now
from balcao.core.values.ids import parse_uuid
from balcao.core.values.ready import Ready

ACTIVATE = "agent_config:activate"
CREATE = "agent_config:create"
RESET_REASON = "volta ao conteúdo padrão"
UNDO_REASON = "última versão desfeita"
DEFAULT_TOOLS = ["google_search", "public_services_grounded_search"]


class SavedVersion(msgspec.Struct, frozen=True):
    """The result of a save.

    `new` is false if the active version already had this content. `active` is true if the returned version is active.
    """

    version: AgentVersion
    new: bool
    active: bool


class UndoneVersion(msgspec.Struct, frozen=True):
    """The number of the undone version, and the version that is active now or None."""

    version: int
    active: AgentVersion | None


class PointerMove(msgspec.Struct, frozen=True):
    """The version that is active now, and the number of the previously active version."""

    version: AgentVersion
    previous: int | None


def find_cached_config(call: Call, config_id: str) -> Ready | None:
    """Return the cached response for this id, or None if it is not cached. The id may be any string."""
    return call.platform.part(ConfigCache).get(config_id)


async def load_config(call: Call, config_id: str) -> Ready:
    """Read and cache the response for an id that matches the pattern.

    Raises NotFound if no configuration has this id, even if the id is not a UUID.
    """
    known = parse_uuid(config_id)
    if known is None:
        raise _make_unknown()
    row = await store.read_config(call.platform.database, known)
    if row is None:
        raise _make_unknown()
    return call.platform.part(ConfigCache).add(row.config_id, Ready.of(_to_config(row)))


async def read_active_config(call: Call, agent_type: str) -> AgentConfig:
    """Return the active version's configuration. Raises NotFound if no version is active."""
    row = await store.select_active_config(call.platform.database, agent_type)
    if row is None:
        raise NotFound("Este tipo de agente não tem versão ativa.", code="agent-not-found")
    return _to_config(row)


async def save_version(call: Call, body: Save, at: datetime | None = None) -> SavedVersion:
    """Save a version created at `at`, by default now. If the content equals the active version's, save nothing.

    Raises Invalid if there is no content, and Conflict if `expected_version` is not active. Raises Forbidden if
    `activate` is true and the caller lacks the action `ACTIVATE`.
    """
    if not body.content:
        names = ", ".join(f"`{name}`" for name in body.list_content_names())
        raise Invalid(f"Envie ao menos um campo de conteúdo: {names}.", code="content-missing")
    if body.activate and not call.holds(ACTIVATE):
        raise call.lacks(ACTIVATE)
    async with call.platform.database.transaction() as connection:
        await store.create_agent(connection, body.agent_type)
        before = await _lock_agent(connection, body.agent_type, body.expected_version)
        active = None if before is None else await _read_existing(connection, body.agent_type, before)
        content = inherit_content(active.content if active else EMPTY, body.content)
        if active and active.content_hash == content.hash:
            return SavedVersion(active, new=False, active=True)
        saved = await _insert(call, connection, body, active, content, at)
        await call.platform.audit.record(connection, call, "create", fields=sorted(body.content))
        if body.activate:
            await _move_pointer(call, connection, body.agent_type, (before, saved.version), "save", body.reason, at)
        return SavedVersion(saved, new=True, active=body.activate)


async def reset_agent(call: Call, agent_type: str, *members: str) -> AgentVersion:
    """Save the default content as a new version, activate it, and return it.

    Older versions are retained. If `members` is given, only those members are reset to the default, and the others are
    inherited from the active version.
    """
    body = Save(agent_type=agent_type, reason=RESET_REASON)
    default = _make_default(call)
    async with call.platform.database.transaction() as connection:
        await store.create_agent(connection, agent_type)
        before = await _lock_agent(connection, agent_type)
        active = None if before is None else await _read_existing(connection, agent_type, before)
        content = default
        if active is not None and members:
            content = inherit_content(active.content, {name: getattr(default, name) for name in members})
        saved = await _insert(call, connection, body, active, content, None)
        await call.platform.audit.record(connection, call, "create", fields=["default_content"])
        await _move_pointer(call, connection, agent_type, (before, saved.version), "reset", body.reason, None)
        return saved


async def undo_newest_version(call: Call, agent_type: str, expected: int | None = None) -> UndoneVersion:
    """Hide the newest visible version. If it is active, the previously active version becomes active again.

    Raises Forbidden if the caller lacks the action `CREATE`, and NotFound if the agent is unknown or has no visible
    version. Raises Conflict if the newest version is not `expected`, or if no version was active before it.
    """
    if not call.holds(CREATE):
        raise call.lacks(CREATE)
    async with call.platform.database.transaction() as connection:
        active = await _lock_agent(connection, agent_type)
        last = await store.read_newest_visible_version(connection, agent_type)
        if last is None:
            raise NotFound("Versão não encontrada.", code="version-not-found")
        if expected is not None and expected != last:
            raise _make_changed("A versão mais nova não é a esperada: leia de novo e repita.")
        if last == active:
            active = await _find_previous(connection, agent_type)
            await _move_pointer(call, connection, agent_type, (last, active), "rollback", UNDO_REASON, None)
        await _hide(call, connection, await _read_existing(connection, agent_type, last), UNDO_REASON, None)
        return UndoneVersion(last, None if active is None else await _read_existing(connection, agent_type, active))


async def activate_version(
    call: Call, agent_type: str, version: int, reason: str, expected: int | None = None, at: datetime | None = None
) -> PointerMove:
    """Activate a version.

    Raises NotFound if it is unknown or hidden, and Conflict if the active version is not `expected`.
    """
    async with call.platform.database.transaction() as connection:
        before = await _lock_agent(connection, agent_type, expected)
        target_version = await _read_visible(connection, agent_type, version)
        await _move_pointer(call, connection, agent_type, (before, version), "activate", reason, at)
        return PointerMove(target_version, before)


async def roll_back_agent(
    call: Call,
    agent_type: str,
    reason: str,
    to: int | None = None,
    expected: int | None = None,
    at: datetime | None = None,
) -> PointerMove:
    """Activate `to`, or by default the version that was active before the current one.

    Raises NotFound if the version is unknown or hidden. Raises Conflict if the active version is not `expected`, if
    `to` was never active, or if no version was active before.
    """
    async with call.platform.database.transaction() as connection:
        before = await _lock_agent(connection, agent_type, expected)
        target = to or await _find_previous(connection, agent_type)
        target_version = await _read_visible(connection, agent_type, target)
        if not await store.was_version_active(connection, agent_type, target):
            raise Conflict("Esta versão nunca esteve ativa: use a ativação.", code="never-active")
        await _move_pointer(call, connection, agent_type, (before, target), "rollback", reason, at)
        return PointerMove(target_version, before)


async def hide_version(
    call: Call, agent_type: str, version: int, reason: str, at: datetime | None = None
) -> AgentVersion:
    """Hide a version from the histories permanently.

    Raises NotFound if there is no such version, and Conflict if it is active.
    """
    async with call.platform.database.transaction() as connection:
        before = await _lock_agent(connection, agent_type)
        target_version = await _read_existing(connection, agent_type, version)
        if before == version:
            raise Conflict("A versão está ativa: ative outra antes de ocultá-la.", code="version-active")
        await _hide(call, connection, target_version, reason, at)
        return target_version


async def read_last_number(call: Call, agent_type: str) -> int:
    """Return the number of the newest version, including hidden versions, or 0 if there are none."""
    return await store.select_last_number(call.platform.database, agent_type) or 0


async def read_version_content(call: Call, agent_type: str, version: int) -> AgentVersion:
    """Return a version, even if it is hidden. Raises NotFound if it does not exist."""
    async with call.platform.database.connection() as connection:
        return await _read_existing(connection, agent_type, version)


def _to_config(found: StoredConfig) -> AgentConfig:
    return AgentConfig(
        config_id=found.config_id,
        agent_type=found.agent_type,
        version=found.version,
        memory_blocks=found.memory_blocks,
        tools=found.tools,
        model_name=found.model_name,
        embedding_name=found.embedding_name,
        created_at=format_rfc3339_offset(found.created_at),
    )


async def _insert(
    call: Call,
    connection: Connection,
    body: Save,
    active: AgentVersion | None,
    content: AgentContent,
    at: datetime | None,
) -> AgentVersion:
    """Insert a version based on the active version. The caller must hold the lock on the agent's row."""
    number = await store.insert_version(
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
    """Return the author of a save. A machine may name the author. For a person, the name in their token is used."""
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
    """Lock the agent and return the number of its active version, which cannot change until the transaction ends.

    Raises NotFound if the agent is unknown, and Conflict if the active version is not `expected`.
    """
    if not await store.lock_agent(connection, agent_type):
        raise NotFound("Tipo de agente não encontrado.", code="agent-not-found")
    active = await store.read_active_version(connection, agent_type)
    if expected is not None and expected != active:
        raise _make_changed("A versão ativa não é a esperada: leia de novo e repita.")
    return active


async def _find_previous(connection: Connection, agent_type: str) -> int:
    """Return the number of the version to roll back to. Raises Conflict if there is none."""
    found = await store.read_previous_version(connection, agent_type)
    if found is None:
        raise Conflict("Nenhuma versão que ainda apareça esteve ativa antes desta.", code="nothing-before")
    return found


async def _hide(call: Call, connection: Connection, version: AgentVersion, reason: str, at: datetime | None) -> None:
    if await store.mark_version_hidden(connection, version.version_id, call.author.name, at or utc_now(), reason):
        await call.platform.audit.record(connection, call, "update", fields=["hidden"])


async def _read_existing(connection: Connection, agent_type: str, version: int) -> AgentVersion:
    found = await store.read_agent_version(connection, agent_type, version)
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
    """Activate a version, log the change, and announce it to webhooks.

    `moved` contains the currently active version and the version to activate. Do nothing if they are equal.
    """
    before, after = moved
    if before == after:
        return
    await store.set_active_version(connection, agent_type, after)
    activation = await store.insert_activation(
        connection, agent_type, before, after, kind, reason, call.author.name, at or utc_now()
    )
    await webhooks.announce_activation(connection, agent_type, activation)
    await call.platform.audit.record(connection, call, "update", fields=["active_version"])


def _make_changed(text: str) -> Conflict:
    return Conflict(text, code="version-changed")


def _make_unknown() -> NotFound:
    return NotFound("Configuração não encontrada.", code="config-not-found")
