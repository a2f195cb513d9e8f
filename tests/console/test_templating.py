"""What all templates know is hidden by no page: the frame would show the page's own value in its place."""

import ast
from collections.abc import Iterator
from pathlib import Path

import balcao.console

CONSOLE = Path(balcao.console.__file__).parent


def list_keywords(tree: ast.AST, method: str) -> Iterator[str]:
    """Return the names of the arguments that calls of a method pass."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == method:
            yield from (keyword.arg for keyword in call.keywords if keyword.arg)


def test_no_page_gives_a_template_a_value_under_a_name_of_the_frame() -> None:
    frame = set(list_keywords(ast.parse((CONSOLE / "templating.py").read_text("utf-8")), "update"))
    assert "balcao_version" in frame
    for file in CONSOLE.rglob("*.py"):
        hidden = frame & set(list_keywords(ast.parse(file.read_text("utf-8")), "render"))
        assert not hidden, f"{file.relative_to(CONSOLE)} hides {hidden}"
