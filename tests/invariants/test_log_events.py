"""`docs/reference/log-events.md` explains every warning and error in the log."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "log-events.md"
LEVELS = {"warning": "warning", "error": "error", "exception": "error"}
# The events of a surface begin with its name.
SURFACES = ("panel", "site")


def list_logged(code: str) -> Iterator[tuple[str, str]]:
    """Yield the event and the level of each call that logs a warning or an error."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="log"), attr=method), args=[name, *_]):
                if method in LEVELS:
                    yield from ((event, LEVELS[method]) for event in list_events(name))


def list_events(name: ast.expr) -> Iterator[str]:
    match name:
        case ast.Constant(value=str(event)):
            yield event
        case ast.IfExp(body=first, orelse=second):
            yield from (*list_events(first), *list_events(second))
        case ast.JoinedStr(values=[ast.FormattedValue(), ast.Constant(value=str(rest))]):
            yield from (surface + rest for surface in SURFACES)
        case _:
            raise AssertionError(f"the event {ast.unparse(name)} must be a constant")


def list_explained() -> Iterator[tuple[str, str]]:
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("| `"):
            _, events, level, meaning, remedy, _ = line.split("|")
            assert meaning.strip().endswith(".")
            assert remedy.strip().endswith(".")
            yield from ((event.strip(" `"), level.strip()) for event in events.split(","))


def test_the_page_explains_every_warning_and_error_and_nothing_else() -> None:
    logged = {found for file in (ROOT / "src").rglob("*.py") for found in list_logged(file.read_text("utf-8"))}
    explained = list(list_explained())
    assert set(explained) == logged
    assert len(explained) == len(set(explained))


def test_the_check_sees_every_way_to_name_an_event() -> None:
    code = 'log.error("a" if x else "b")\nlog.warning(f"{self.name}.c")\nlog.info("d")\nlog.exception("e")'
    assert sorted(list_logged(code)) == [
        ("a", "error"), ("b", "error"), ("e", "error"), ("panel.c", "warning"), ("site.c", "warning")
    ]  # fmt: skip
    with pytest.raises(AssertionError):
        list(list_logged("log.error(event)"))
