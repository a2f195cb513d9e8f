"""List and compare versions (rules: agents 2.2)."""

from collections.abc import Mapping
from typing import Any

from balcao.agents.history import store
from balcao.agents.history.comparison import list_version_changes
from balcao.agents.history.schemas import (
    CompareQuery,
    ConfigContent,
    ConfigEntry,
    ConfigHistory,
    HistoryItem,
    HistoryQuery,
    PromptContent,
    PromptEntry,
    PromptHistory,
    PromptPreview,
    UnifiedHistory,
    UnifiedHistoryQuery,
    VersionComparison,
    VersionDetail,
    VersionMetadata,
)
from balcao.agents.history.store import StoredVersion, VersionPage
from balcao.agents.queries import LAST_VERSION
from balcao.agents.reading import open_prompt_reader
from balcao.agents.versions.content import ChangeType, format_version
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import format_rfc3339_offset

MAX_RESPONSE_BYTES = 16 * 1024 * 1024
PREVIEW = 100
_DESCRIPTIONS: dict[ChangeType, str] = {
    "prompt": "Mudou o texto de instruções.",
    "config": "Mudou a configuração.",
    "both": "Mudaram o texto de instruções e a configuração.",
}


async def list_configs(call: Call, query: HistoryQuery) -> ConfigHistory:
    """Return a page of configurations. The page is empty for an unknown agent type."""
    async with call.platform.database.connection() as connection:
        page = await _read_page(connection, query)
    entries = [
        ConfigEntry(
            version.config_id,
            version.version,
            version.is_active,
            **_describe_times(version),
            metadata=_describe(call, version),
            tools=version.content.tools,
            model_name=version.content.model_name,
            embedding_name=version.content.embedding_name,
        )
        for version in page.versions
    ]
    return ConfigHistory(query.agent_type, entries, _next_before(page))


async def list_prompts(call: Call, query: HistoryQuery) -> PromptHistory:
    """Return a page of prompts. The page is empty for an unknown agent type."""
    async with open_prompt_reader(call) as connection:
        page = await _read_page(connection, query)
    entries = [
        PromptEntry(
            version.prompt_id,
            version.version,
            version.is_active,
            **_describe_times(version),
            content=version.content.prompt,
            metadata=_describe(call, version),
        )
        for version in page.versions
    ]
    return PromptHistory(query.agent_type, entries, _next_before(page))


async def list_agent_versions(call: Call, query: UnifiedHistoryQuery) -> UnifiedHistory:
    """Return a page of whole versions. The page is shorter than requested if the response would become too large."""
    async with open_prompt_reader(call) as connection:
        page = await _read_page(connection, query)
    items = [
        HistoryItem(**_describe_item(call, version), prompt=PromptPreview(version.prompt_id, version.content.prompt))
        for version in page.versions
    ]
    return UnifiedHistory(query.agent_type, page.total, items, _next_before(page))


async def read_agent_version(call: Call, agent_type: str, number: int) -> VersionDetail:
    """Return a version with its full content, even if it is hidden. Raises NotFound if there is no such version."""
    async with open_prompt_reader(call) as connection:
        version = _require(await store.list_numbered_versions(connection, agent_type, [number]), number)
    prompt = version.content.prompt
    return VersionDetail(
        **_describe_item(call, version), prompt=PromptContent(version.prompt_id, prompt[:PREVIEW], prompt)
    )


async def compare_agent_versions(call: Call, query: CompareQuery) -> VersionComparison:
    """Return the differences between two versions, even if they are hidden.

    Raises NotFound if one of the versions does not exist. The error message contains its number.
    """
    numbers = query.from_version, query.to_version
    async with open_prompt_reader(call) as connection:
        found = await store.list_numbered_versions(connection, query.agent_type, numbers)
    old, new = (_require(found, number) for number in numbers)
    return VersionComparison(
        query.agent_type,
        old.version,
        new.version,
        new.change_type,
        format_rfc3339_offset(new.created_at),
        new.author,
        list_version_changes(old.content, new.content),
    )


async def _read_page(connection: Connection, query: HistoryQuery | UnifiedHistoryQuery) -> VersionPage:
    before = query.before or LAST_VERSION
    return await store.list_visible_versions(connection, query.agent_type, before, query.limit, MAX_RESPONSE_BYTES)


def _next_before(page: VersionPage) -> int | None:
    return page.versions[-1].version if page.more else None


def _describe_times(version: StoredVersion) -> dict[str, str]:
    """Return an entry's times of creation and change. They are equal, because a version never changes."""
    at = format_rfc3339_offset(version.created_at)
    return {"created_at": at, "updated_at": at}


def _describe(call: Call, version: StoredVersion) -> VersionMetadata:
    return VersionMetadata(format_version(version.version, version.created_at, call.zone))


def _describe_item(call: Call, version: StoredVersion) -> dict[str, Any]:
    content, metadata = version.content, _describe(call, version)
    return {
        "version_id": version.version_id,
        "version_number": version.version,
        "version_display": metadata.version_display,
        "change_type": version.change_type,
        "created_at": format_rfc3339_offset(version.created_at),
        "author": version.author,
        "reason": version.reason,
        "description": _DESCRIPTIONS[version.change_type],
        "preview": content.prompt[:PREVIEW],
        "is_active": version.is_active,
        "metadata": metadata,
        "config": ConfigContent(
            version.config_id, content.memory_blocks, content.tools, content.model_name, content.embedding_name
        ),
    }


def _require(found: Mapping[int, StoredVersion], number: int) -> StoredVersion:
    if number not in found:
        raise NotFound(f"O agente não tem a versão {number}.", code="version-not-found")
    return found[number]
