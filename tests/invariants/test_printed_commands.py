"""Every `balcao` command that a page shows exists and has the options that the page shows."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from balcao.cli.commands import list_entries
from tests.invariants.test_commands_page import list_commands

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "deploy/**/*.yml", "src/balcao/operate/deploy/templates/**/*")
    for page in ROOT.glob(pattern)
    if page.is_file() and ROOT / "docs/adr" not in page.parents and page.name != "CHANGELOG.md"
)
# Commands that a page mentions only to say that they do not exist.
ABSENT = {"balcao migrate --distributed"}
KNOWN = {words: {*options, "--help"} for words, options in list_commands()}
GROUPS = {words.rsplit(" ", depth)[0] for words in KNOWN for depth in (1, 2)} - KNOWN.keys() | {"balcao"}
_COMMAND = re.compile(r"(?<![\w-])balcao ((?:[a-z][a-z-]*)(?:[ ][^`|;&#\n]+)?)")


def list_printed(text: str) -> Iterator[str]:
    """Yield the `balcao` commands that a page shows."""
    for found in _COMMAND.finditer(text.replace("\\\n", " ")):
        if found[1].split()[0] in list_entries():
            yield f"balcao {found[1].split(', ')[0]}"


def find_fault(printed: str) -> str | None:
    """Return the part of a shown command that does not exist, or None.

    After a group, there may be nothing or a word in capitals.
    """
    if printed in ABSENT:
        return None
    command, *rest = (word.rstrip(".,:)\"'") for word in printed.split())
    while rest and command in GROUPS:
        command = f"{command} {rest.pop(0)}"
    if command in KNOWN:
        options = {word.partition("=")[0] for word in rest if word.startswith("--")}
        return ", ".join(sorted(options - KNOWN[command])) or None
    return command if command not in GROUPS and command.rpartition(" ")[2].islower() else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_prints_can_be_typed(page: Path) -> None:
    faults = {printed: find_fault(printed) for printed in list_printed(page.read_text("utf-8"))}
    assert {printed: fault for printed, fault in faults.items() if fault} == {}


@pytest.mark.parametrize(
    ("printed", "fault"),
    [
        ("balcao jobs list --state dead", None),
        ("balcao search migration", None),
        ("balcao jobs purge", "balcao jobs purge"),
        ("balcao jobs list --stat dead", "--stat"),
        ("balcao serve --processes=2 --worker", "--worker"),
    ],
)
def test_a_wrong_command_is_noticed(printed: str, fault: str | None) -> None:
    assert find_fault(printed) == fault
