"""Every link of the documentation leads somewhere."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [target for target in _relative_targets(page) if not _exists(page, target)] == []


def test_a_broken_link_is_found_out() -> None:
    assert not _exists(ROOT / "README.md", "docs/absent.md")
    assert not _exists(ROOT / "README.md", "CONTRIBUTING.md#absent")
    assert _exists(ROOT / "README.md", "CONTRIBUTING.md#citations")


def _relative_targets(page: Path) -> Iterator[str]:
    for block in MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8")):
        for token in block.children or ():
            target = str(token.attrGet("href") or token.attrGet("src") or "")
            if target and not re.match(r"[a-z]+:", target):
                yield target


def _exists(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = page.parent / path if path else page
    return file.exists() and (not anchor or anchor in _anchors(file))


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The headings as the usual hosts name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)
