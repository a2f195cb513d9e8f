"""Compare the content of two versions (rules: agents 4)."""

from collections.abc import Iterator

import msgspec

from balcao.agents.history.schemas import VersionChange
from balcao.agents.versions.content import AgentContent


def list_version_changes(old: AgentContent, new: AgentContent) -> list[VersionChange]:
    """Return an entry for each member that differs. An empty string or an empty list counts as null."""
    return list(_find_changes(old, new))


def _find_changes(old: AgentContent, new: AgentContent) -> Iterator[VersionChange]:
    for name in AgentContent.__struct_fields__:
        before, after = getattr(old, name) or None, getattr(new, name) or None
        if msgspec.json.encode(before, order="sorted") != msgspec.json.encode(after, order="sorted"):
            shown = before if after is None else after
            yield VersionChange(name, before, after, "array" if isinstance(shown, list) else "string")
