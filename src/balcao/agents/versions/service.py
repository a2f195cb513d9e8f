"""Saving versions, moving the active pointer, and reading a configuration (rules: agents 4)."""

from datetime import datetime
from uuid import UUID

import msgspec

from balcao.agents.versions import store
from balcao.agents.versions.content import EMPTY, change_type, inherited
from balcao.agents.versions.ready import ReadyConfigs
from balcao.agents.versions.schemas import AgentConfig, SaveBody
from balcao.agents.versions.store import Version
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden, Invalid, NotFound
from balcao.core.http.responses import Ready
from balcao.core.values.clock import format_rfc3339_offset, utc_now

ACTIVATE = "agent_config:activate"


class Saved(msgspec.Struct, frozen=True):
    """`new` is false when the content was the active version's already."""

    version: Version
    new: bool


async def read_config(call: Call, config_id: str) -> Ready:
    """The answer to a checked id. Raises NotFound, also for an id that cannot be one of ours."""
    known = _uuid(config_id)
    kept = call.platform.part(ReadyConfigs)
    return kept.get(known) or kept.keep(known, await _config(call, known))


async def save_version(call: Call, body: SaveBody, at: datetime | None = None) -> Saved:
    """`at` is now unless told. Raises Invalid without any content, Conflict when `expected_version` is not active.

    Activating needs an action of its own, else Forbidden.
    """
    if not body.content:
        raise Invalid("Envie ao menos um campo de conteúdo.", code="content-missing")
    if body.activate and not call.holds(ACTIVATE):
        raise Forbidden()
    async with call.platform.database.transaction() as connection:
        await store.create_agent(connection, body.agent_type)
        before = await _locked(connection, body.agent_type, body.expected_version)
        active = None if before is None else await _existing(connection, body.agent_type, before)
        content = inherited(active.content if active else EMPTY, body.content)
        if active and active.content_hash == content.hash:
            return Saved(active, new=False)
        number = await store.insert(
            connection,
            body.agent_type,
            content,
            change_type(active.content if active else EMPTY, content),
            before,
            call.author,
            body.reason,
            at or utc_now(),
        )
        await call.platform.audit.record(connection, call, "create", fields=sorted(body.content))
        if body.activate:
            await _move(call, connection, body.agent_type, (before, number), "save", body.reason, at)
        return Saved(await _existing(connection, body.agent_type, number), new=True)


async def activate(
    call: Call, agent_type: str, version: int, reason: str, expected: int | None = None, at: datetime | None = None
) -> Version:
    """The version now active. Raises NotFound for an unknown or hidden one, Conflict as `save_version`."""
    async with call.platform.database.transaction() as connection:
        before = await _locked(connection, agent_type, expected)
        wanted = await _visible(connection, agent_type, version)
        await _move(call, connection, agent_type, (before, version), "activate", reason, at)
        return wanted


async def roll_back(
    call: Call,
    agent_type: str,
    reason: str,
    to: int | None = None,
    expected: int | None = None,
    at: datetime | None = None,
) -> Version:
    """To the version active before the present one, or to `to`, which must have been active once (else Conflict)."""
    async with call.platform.database.transaction() as connection:
        before = await _locked(connection, agent_type, expected)
        target = to or await store.active_before(connection, agent_type)
        if target is None:
            raise Conflict("Nenhuma versão esteve ativa antes desta.", code="nothing-before")
        wanted = await _visible(connection, agent_type, target)
        if not await store.was_active(connection, agent_type, target):
            raise Conflict("Esta versão nunca esteve ativa: use a ativação.", code="never-active")
        await _move(call, connection, agent_type, (before, target), "rollback", reason, at)
        return wanted


async def hide(call: Call, agent_type: str, version: int, reason: str, at: datetime | None = None) -> Version:
    """Leaves it out of histories for ever. Raises NotFound, Conflict for the active one."""
    async with call.platform.database.transaction() as connection:
        before = await _locked(connection, agent_type)
        wanted = await _existing(connection, agent_type, version)
        if before == version:
            raise Conflict("A versão está ativa: ative outra antes de ocultá-la.", code="version-active")
        if await store.hide(connection, wanted.version_id, call.author.name, at or utc_now(), reason):
            await call.platform.audit.record(connection, call, "update", fields=["hidden"])
        return wanted


async def last_number(call: Call, agent_type: str) -> int:
    """The newest version's number, hidden ones counted; 0 before the first."""
    async with call.platform.database.connection() as connection:
        return await store.last_number(connection, agent_type)


async def version_numbered(call: Call, agent_type: str, version: int) -> Version:
    """Hidden ones too. Raises NotFound."""
    async with call.platform.database.connection() as connection:
        return await _existing(connection, agent_type, version)


async def _config(call: Call, config_id: UUID) -> Ready:
    row = await store.read_config(call.platform.database, config_id)
    if row is None:
        raise _unknown()
    return Ready.of(AgentConfig(**row | {"created_at": format_rfc3339_offset(row["created_at"])}))


async def _locked(connection: Connection, agent_type: str, expected: int | None = None) -> int | None:
    """The number of the active version, which nobody else moves until this transaction ends."""
    if not await store.lock(connection, agent_type):
        raise NotFound("Tipo de agente não encontrado.", code="agent-not-found")
    active = await store.active_version(connection, agent_type)
    if expected is not None and expected != active:
        raise Conflict("A versão ativa não é a esperada: leia de novo e repita.", code="version-changed")
    return active


async def _existing(connection: Connection, agent_type: str, version: int) -> Version:
    found = await store.read(connection, agent_type, version)
    if found is None:
        raise NotFound("Versão não encontrada.", code="version-not-found")
    return found


async def _visible(connection: Connection, agent_type: str, version: int) -> Version:
    found = await _existing(connection, agent_type, version)
    if found.hidden:
        raise NotFound("Versão não encontrada.", code="version-not-found")
    return found


async def _move(
    call: Call,
    connection: Connection,
    agent_type: str,
    moved: tuple[int | None, int],
    kind: str,
    reason: str,
    at: datetime | None,
) -> None:
    """Points at the second of `moved`, with its entry in the log; where it points already nothing happens."""
    before, after = moved
    if before == after:
        return
    await store.point(connection, agent_type, after)
    await store.log(connection, agent_type, moved, kind, reason, call.author.name, at or utc_now())
    await call.platform.audit.record(connection, call, "update", fields=["active_version"])


def _uuid(text: str) -> UUID:
    try:
        found = UUID(text)
    except ValueError:
        raise _unknown() from None
    if str(found) != text.lower():
        raise _unknown()
    return found


def _unknown() -> NotFound:
    return NotFound("Configuração não encontrada.", code="config-not-found")
