"""Merges concurrent changes to a record. The person decides on fields that both people changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Disputed:
    """A field that both people changed differently: the original value, the other's value and one's own."""

    name: str
    base: Any
    theirs: Any
    mine: Any


@dataclass(frozen=True)
class Merged:
    """The result of a merge.

    `values` is the merged record, with the values from `mine` in disputed fields. `joined` names the fields whose
    values come from the other person's version.
    """

    values: dict[str, Any]
    disputed: list[Disputed]
    joined: list[str]


def merge(base: Mapping[str, Any], theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> Merged:
    """Merge the changes in `mine` with the changes that another person saved since `base`.

    Typed values are never lost.
    """
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
