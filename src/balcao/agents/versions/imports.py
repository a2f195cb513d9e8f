"""Import versions of agent configurations from lines of JSON, one for each version (rules: agents 3.3)."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.agents.importing import AUTHOR, check_row
from balcao.agents.queries import LAST_VERSION
from balcao.agents.versions import store
from balcao.agents.versions.content import EMPTY, AgentContent, classify_change
from balcao.agents.versions.schemas import SaveBody
from balcao.agents.webhooks import service as webhooks
from balcao.core.context.call import Author
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid
from balcao.core.imports.declaration import Import
from balcao.core.values.clock import utc_now

BATCH = 100
SUBJECT = "import"
REASON = "importada do sistema anterior"


class VersionRow(msgspec.Struct, kw_only=True):
    """A version from the previous system.

    Its number does not change, and neither do its ids if the row contains them.
    """

    agent_type: str
    version: Annotated[int, Meta(ge=1, lt=LAST_VERSION)]
    created_at: Annotated[datetime, Meta(tz=True)]
    prompt: str = ""
    memory_blocks: list[dict[str, Any]] = []
    tools: list[str] = []
    model_name: str = ""
    embedding_name: str = ""
    author: Annotated[str, Meta(min_length=1, max_length=200)] = AUTHOR
    reason: str = REASON
    version_id: UUID | None = None
    config_id: UUID | None = None
    prompt_id: UUID | None = None
    active: bool = False
    hidden: bool = False

    def __post_init__(self) -> None:
        """Validate the row by the same rules as the body of a save. Raises ValueError for the first error."""
        content = msgspec.structs.asdict(self.content)
        content["prompt_content"] = content.pop("prompt") or None
        check_row(content | {"agent_type": self.agent_type, "reason": self.reason}, SaveBody)
        if self.created_at > utc_now():
            raise ValueError("O campo `created_at` deve ser um instante passado.")
        if self.active and self.hidden:
            raise ValueError(
                "Uma versão ativa não pode ser oculta: `active` e `hidden` não podem ser ambos verdadeiros."
            )

    @property
    def content(self) -> AgentContent:
        """The content of the version."""
        return AgentContent(self.prompt, self.memory_blocks, self.tools, self.model_name, self.embedding_name)


async def write_versions(connection: Connection, rows: Sequence[VersionRow]) -> int:
    """Store the versions that are missing. Return the number of rows that changed anything.

    Lock order: agents by name. No other transaction locks more than one agent.
    """
    changed = 0
    ordered = sorted(rows, key=lambda row: (row.agent_type, row.version))
    for agent_type, of_agent in groupby(ordered, key=lambda row: row.agent_type):
        await store.create_agent(connection, agent_type)
        await store.lock_agent(connection, agent_type)
        changed += sum([await _write(connection, row) for row in of_agent])
    return changed


async def _write(connection: Connection, row: VersionRow) -> bool:
    """Store a version. Return whether anything changed.

    Raises Invalid if this version number is already stored with different content.
    """
    stored = await store.read_agent_version(connection, row.agent_type, row.version)
    if stored is not None and stored.content_hash != row.content.hash:
        raise Invalid("O campo `version`: esta versão já está gravada, com outro conteúdo.")
    version_id = stored.version_id if stored else await _insert(connection, row)
    hidden = row.hidden and await _hide(connection, row, version_id)
    moved = row.active and await _activate(connection, row)
    return stored is None or hidden or moved


async def _insert(connection: Connection, row: VersionRow) -> UUID:
    base = await store.read_version_before(connection, row.agent_type, row.version)
    return await store.import_version(
        connection,
        row.agent_type,
        row.version,
        store.FormerIds(row.version_id, row.config_id, row.prompt_id),
        row.content,
        classify_change(base.content if base else EMPTY, row.content),
        base.version if base else None,
        Author(row.author, SUBJECT),
        row.reason,
        row.created_at,
    )


async def _hide(connection: Connection, row: VersionRow, version_id: UUID) -> bool:
    """Hide the version unless it is active on this platform. Return whether anything changed."""
    if await store.read_active_version(connection, row.agent_type) == row.version:
        return False
    return await store.mark_version_hidden(connection, version_id, AUTHOR, utc_now(), REASON)


async def _activate(connection: Connection, row: VersionRow) -> bool:
    """Activate the version if no version has ever been active, or if an import made the most recent activation.

    Return whether anything changed.
    """
    if await store.read_last_mover(connection, row.agent_type) not in {None, AUTHOR}:
        return False
    before = await store.read_active_version(connection, row.agent_type)
    if before == row.version:
        return False
    await store.set_active_version(connection, row.agent_type, row.version)
    activation = await store.insert_activation(
        connection, row.agent_type, before, row.version, "save", row.reason, AUTHOR, utc_now()
    )
    await webhooks.announce_activation(connection, row.agent_type, activation)
    return True


IMPORTS = [Import("versions", VersionRow, write_versions, batch=BATCH)]
