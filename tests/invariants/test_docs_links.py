"""Every link in the documentation has a target, and every file that a page names exists."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "balcao"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [target for target in _relative_targets(page) if not _exists(page, target)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if "adr" not in page.parts], ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    """Decision records may name files that no longer exist."""
    named = re.findall(r"`([a-z][\w.-]*/[\w./-]*)`", page.read_text("utf-8"))
    files = [name for name in named if name.endswith((".py", ".sql", ".toml"))]
    assert [name for name in files if not any((place / name).exists() for place in (ROOT, SOURCE))] == []


def test_each_walk_of_the_architecture_goes_by_functions_that_are_there_in_three_hops() -> None:
    page = (ROOT / "docs" / "explain" / "architecture.md").read_text("utf-8")
    hops = re.findall(r"^\| (\d) \| `([\w/.]+)` \| `(\w+)`", page, re.MULTILINE)
    assert [number for number, _, _ in hops] == ["1", "2", "3"] * 3
    assert [hop for hop in hops if f"def {hop[2]}(" not in (SOURCE / hop[1]).read_text("utf-8")] == []


def test_the_index_of_the_proofs_leads_to_every_family_once() -> None:
    index = ROOT / "docs" / "proofs.md"
    families = [target for target in _relative_targets(index) if target.startswith("proofs/")]
    assert sorted(families) == sorted(f"proofs/{page.name}" for page in (ROOT / "docs" / "proofs").glob("*.md"))


def test_a_broken_link_is_found_out() -> None:
    assert not _exists(ROOT / "README.md", "docs/absent.md")
    assert not _exists(ROOT / "README.md", "CONTRIBUTING.md#absent")
    assert _exists(ROOT / "README.md", "CONTRIBUTING.md#citations")


def _relative_targets(page: Path) -> Iterator[str]:
    for block in parse(page):
        for token in block.children or ():
            target = unquote(str(token.attrGet("href") or token.attrGet("src") or ""))
            if target and not re.match(r"[a-z]+:", target):
                yield target


def _exists(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = page.parent / path if path else page
    return file.exists() and (not anchor or anchor in list_anchors(file))


@cache
def parse(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))


@cache
def list_anchors(page: Path) -> list[str]:
    """Return the anchors of a page: those that common hosts generate from its headings, and its `<a id>` anchors."""
    titles = [after.content for token, after in pairwise(parse(page)) if token.type == "heading_open"]
    marked = re.findall(r'<a id="([\w-]+)"></a>', page.read_text("utf-8"))
    return [*marked, *(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles)]
