"""docs/reference/commands.md lists exactly the existing commands, with their options."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from balcao.cli.commands import balcao, list_entries, load_command

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"


def list_commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each command as it is typed, with its options."""
    yield "balcao", list_options(typer.main.get_command(balcao))
    for name in list_entries():
        if " " not in name:
            yield from walk(f"balcao {name}", load_command(name))


def walk(words: str, command: Any) -> Iterator[tuple[str, list[str]]]:
    if hasattr(command, "commands"):
        for name, child in command.commands.items():
            yield from walk(f"{words} {name}", child)
    else:
        yield words, list_options(command)


def list_options(command: Any) -> list[str]:
    options = [param for param in command.params if param.param_type_name == "option"]
    words = [word for option in options for word in [*option.opts, *option.secondary_opts]]
    return sorted(set(words) - {"--help", "--install-completion", "--show-completion"})


def test_the_page_lists_every_command_with_its_options_once() -> None:
    rows = re.findall(r"^\| `(balcao[^`]*)` \| (.*?) ?\| ", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = {words: sorted(re.findall(r"`(--[\w-]+)`", options)) for words, options in rows}
    assert listed == dict(list_commands())
    assert len(rows) == len(listed)
