"""The API operations on versions. The types contain only the members that the pages use."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from balcao.web.api import Api

_BASE = "/agent/api/v1"


class Prompt(msgspec.Struct):
    content: str


class Config(msgspec.Struct):
    memory_blocks: list[dict[str, Any]]
    tools: list[str]
    model_name: str
    embedding_name: str


class Version(msgspec.Struct):
    version_number: int
    change_type: str
    created_at: datetime
    author: str
    reason: str
    is_active: bool
    prompt: Prompt
    config: Config


class HistoryItem(msgspec.Struct):
    version_number: int
    change_type: str
    created_at: datetime
    author: str
    reason: str
    description: str
    preview: str
    is_active: bool


class History(msgspec.Struct):
    total_items: int
    items: list[HistoryItem]
    next_before: int | None


class ActiveConfig(msgspec.Struct):
    version: int
    model_name: str
    created_at: datetime


class Problem(msgspec.Struct):
    kind: str
    message: str
    line: int | None


class Check(msgspec.Struct):
    ok: bool
    characters: int
    problems: list[Problem]


class Done(msgspec.Struct):
    """The result of a change. `message` comes from the service and is shown to the user."""

    message: str


async def list_agent_types(api: Api) -> list[str]:
    return await api.get(f"{_BASE}/system-prompt/agent-types", list[str])


async def read_active(api: Api, agent: str) -> ActiveConfig:
    return await api.get(f"{_BASE}/agent-config", ActiveConfig, {"agent_type": agent})


async def list_versions(api: Api, agent: str, *, limit: int = 25, before: int | None = None) -> History:
    query = {"agent_type": agent, "limit": limit, "before": before}
    return await api.get(f"{_BASE}/unified-history", History, query)


async def read_version(api: Api, agent: str, number: int) -> Version:
    return await api.get(f"{_BASE}/unified-history/version/{number}", Version, {"agent_type": agent})


async def check_prompt(api: Api, agent: str, prompt: str, known: list[str]) -> Check:
    body = {"agent_type": agent, "prompt_content": prompt, "known": known}
    return await api.send("POST", f"{_BASE}/system-prompt/check", Check, body)


async def save_version(api: Api, body: Mapping[str, Any]) -> Done:
    return await api.send("POST", f"{_BASE}/unified-save", Done, body)


async def activate_version(api: Api, agent: str, number: int, reason: str, expected: int | None) -> Done:
    body = {"agent_type": agent, "version": number, "reason": reason, "expected_version": expected}
    return await api.send("POST", f"{_BASE}/agent-config/activate", Done, body)


async def roll_back(api: Api, agent: str, reason: str, expected: int | None) -> Done:
    body = {"agent_type": agent, "reason": reason, "expected_version": expected}
    return await api.send("POST", f"{_BASE}/agent-config/rollback", Done, body)


async def hide_version(api: Api, agent: str, number: int) -> None:
    query = {"agent_type": agent, "version_number": number}
    await api.send("DELETE", f"{_BASE}/unified-delete", type(None), query=query)
