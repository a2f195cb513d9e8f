"""The rules for a version's content: inherit members, classify changes, and recognise equal content."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

ChangeType = Literal["prompt", "config", "both"]


class AgentContent(msgspec.Struct, frozen=True):
    """The parts of a version that a save can change."""

    prompt: str = ""
    memory_blocks: list[dict[str, Any]] = []
    tools: list[str] = []
    model_name: str = ""
    embedding_name: str = ""

    @property
    def hash(self) -> bytes:
        """A hash of the content. The order of the members in a memory block does not affect it."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).digest()


EMPTY = AgentContent()
# All members except the prompt form the configuration.
CONFIG_MEMBERS = ("memory_blocks", "tools", "model_name", "embedding_name")


def inherit_content(base: AgentContent, sent: Mapping[str, Any]) -> AgentContent:
    """Return `base` with the sent members replaced. A member sent as null becomes empty."""
    emptied = {name: getattr(EMPTY, name) if value is None else value for name, value in sent.items()}
    return msgspec.structs.replace(base, **emptied)


def classify_change(base: AgentContent, new: AgentContent) -> ChangeType:
    """Return which part differs: the prompt, the configuration, or both. Return `both` also if nothing differs."""
    prompt = base.prompt != new.prompt
    config = msgspec.structs.replace(base, prompt="") != msgspec.structs.replace(new, prompt="")
    if prompt == config:
        return "both"
    return "prompt" if prompt else "config"


def format_version(version: int, created_at: datetime, zone: ZoneInfo) -> str:
    """Return the version's display name, which contains the day of its creation: `cfg-2026-11-29-v7`."""
    return f"cfg-{created_at.astimezone(zone):%Y-%m-%d}-v{version}"
