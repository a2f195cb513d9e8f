"""What a version holds, as pure rules: inheriting from the base, telling what changed, knowing equal content."""

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

ChangeType = Literal["prompt", "config", "both"]


class Content(msgspec.Struct, frozen=True):
    """The parts of a version that a save may change."""

    prompt: str = ""
    memory_blocks: list[dict[str, Any]] = []
    tools: list[str] = []
    model_name: str = ""
    embedding_name: str = ""

    @property
    def hash(self) -> bytes:
        """Equal for equal content, whatever the order of members in a memory block."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).digest()


EMPTY = Content()


def inherited(base: Content, sent: Mapping[str, Any]) -> Content:
    """`base` with what was sent; null empties."""
    emptied = {name: getattr(EMPTY, name) if value is None else value for name, value in sent.items()}
    return msgspec.structs.replace(base, **emptied)


def change_type(base: Content, new: Content) -> ChangeType:
    prompt = base.prompt != new.prompt
    config = msgspec.structs.replace(base, prompt="") != msgspec.structs.replace(new, prompt="")
    if prompt == config:
        return "both"
    return "prompt" if prompt else "config"
