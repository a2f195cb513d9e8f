"""Two people changed the same record: what only one of them touched is joined, what both did is asked (412)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Disputed:
    """A field that both changed, and not to the same: as it was when the person opened it, theirs, and mine."""

    name: str
    base: Any
    theirs: Any
    mine: Any


@dataclass(frozen=True)
class Merged:
    """`values` is the joined record, with mine where it is disputed; `joined` names what was taken over of theirs."""

    values: dict[str, Any]
    disputed: list[Disputed]
    joined: list[str]


def merge(base: Mapping[str, Any], theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> Merged:
    """Join the fields of `mine` with what somebody else has saved since `base`; nothing that was typed is lost."""
    values: dict[str, Any] = {}
    disputed: list[Disputed] = []
    joined: list[str] = []
    for name, typed in mine.items():
        before, now = base.get(name), theirs.get(name)
        values[name] = typed
        if now == before or typed == now:
            continue
        if typed == before:
            values[name] = now
            joined.append(name)
        else:
            disputed.append(Disputed(name, before, now, typed))
    return Merged(values, disputed, joined)
