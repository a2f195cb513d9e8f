"""Reads and writes the subset of YAML that catalogue documents use (rules: access 4.7).

The subset consists of mappings, lists and strings. Anchors, aliases, tags and repeated keys are not allowed, so that a
small document cannot expand into a large one. A plain scalar is a string (`no` is not a boolean), except that `null`,
`~` and an empty scalar are null.
"""

from typing import Any

import yaml

MAX_DEPTH = 10
_NULLS = frozenset({"", "~", "null"})
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class UnsupportedYaml(Exception):
    """The document is not in the subset. The message states the reason and, if known, the line, in Portuguese."""


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """A dumper that writes repeated values in full instead of as aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_yaml(value: Any) -> bytes:
    """Return the value as YAML. Members keep their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text.encode()


def read_yaml(content: bytes, most_levels: int = MAX_DEPTH) -> Any:
    """Return the content of a single YAML document with at most `most_levels` levels.

    Raises UnsupportedYaml if the document is not in the subset, or has more levels.
    """
    try:
        return _Reader(content, most_levels).read()
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        raise UnsupportedYaml(f"não é YAML{f', linha {mark.line + 1}' if mark else ''}") from None
    except (UnicodeDecodeError, RecursionError, ValueError):
        raise UnsupportedYaml("não é YAML em UTF-8") from None


class _Reader:
    def __init__(self, content: bytes, most_levels: int) -> None:
        self._most_levels = most_levels
        self._events = yaml.parse(content.decode("utf-8"), Loader=_LOADER)

    def read(self) -> Any:
        """Return the content of the only document."""
        self._next(yaml.StreamStartEvent)
        self._next(yaml.DocumentStartEvent)
        value = self._value(next(self._events), 1)
        self._next(yaml.DocumentEndEvent)
        self._next(yaml.StreamEndEvent)
        return value

    def _next(self, kind: type[yaml.Event]) -> None:
        event = next(self._events, None)
        if not isinstance(event, kind):
            raise UnsupportedYaml("deve haver um documento, e um só")

    def _value(self, event: Any, depth: int) -> Any:
        where = f", linha {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise UnsupportedYaml(f"âncoras e referências não são aceitas{where}")
        if event.tag is not None:
            raise UnsupportedYaml(f"etiquetas de tipo não são aceitas{where}")
        if isinstance(event, yaml.ScalarEvent):
            return None if event.style is None and event.value in _NULLS else event.value
        if depth > self._most_levels:
            raise UnsupportedYaml(f"o documento tem mais de {self._most_levels} níveis{where}")
        return self._list(depth) if isinstance(event, yaml.SequenceStartEvent) else self._mapping(depth)

    def _list(self, depth: int) -> list[Any]:
        found = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            found.append(self._value(event, depth + 1))
        return found

    def _mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._value(event, depth + 1)
            if not isinstance(key, str) or key in found:
                raise UnsupportedYaml("uma chave está repetida ou não é texto")
            found[key] = self._value(next(self._events), depth + 1)
        return found
