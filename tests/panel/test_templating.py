"""Mistakes in templates that tests of single pages do not find."""

import ast
from collections.abc import Iterator
from pathlib import Path

import balcao.panel

PANEL = Path(balcao.panel.__file__).parent


def list_keywords(tree: ast.AST, method: str) -> Iterator[str]:
    """Yield the names of keyword arguments in all calls of a method."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == method:
            yield from (keyword.arg for keyword in call.keywords if keyword.arg)


def test_no_page_gives_a_template_a_value_under_a_name_of_the_frame() -> None:
    frame = set(list_keywords(ast.parse((PANEL / "templating.py").read_text("utf-8")), "update"))
    assert "city" in frame
    for file in PANEL.rglob("*.py"):
        hidden = frame & set(list_keywords(ast.parse(file.read_text("utf-8")), "render"))
        assert not hidden, f"{file.relative_to(PANEL)} hides {hidden}"


def test_no_field_cuts_a_pasted_value() -> None:
    """Browsers silently cut pasted text at `maxlength`, so a CPF with surrounding spaces would lose digits."""
    for file in PANEL.rglob("*.html"):
        assert "maxlength" not in file.read_text("utf-8"), file.relative_to(PANEL)
