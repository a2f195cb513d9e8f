"""README, governance, tutorial, guides and operators' manuals contain the same facts in English and Portuguese."""

import os
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it.token import Token

from tests.invariants.test_docs_links import list_anchors, parse

ROOT = Path(__file__).parents[2]
TWIN = ".pt-BR.md"
MANUALS = [page for page in sorted((ROOT / "docs/operate").glob("*.md")) if not page.name.endswith(TWIN)]
GUIDES = [page for page in sorted((ROOT / "docs/guides").glob("*.md")) if not page.name.endswith(TWIN)]
PAGES = [ROOT / "README.md", ROOT / "GOVERNANCE.md", ROOT / "docs/tutorial.md", *MANUALS, *GUIDES]
# A number in either notation: 28,843 and 28.843, 0.5 and 0,5.
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
# The translated parts of a code block: comments and placeholders.
_WORDS = re.compile(r"(?m:(?:^|\s+)# .*$)|<[^<>A-Z]* [^<>A-Z]*>")
_PICTURE = "│"


def find_twin(page: Path) -> Path:
    """Return the same page in the other language, or the page itself if it has no translation."""
    if page.name.endswith(TWIN):
        return page.with_name(page.name.removesuffix(TWIN) + ".md")
    twin = page.with_name(f"{page.stem}{TWIN}")
    return twin if page.suffix == ".md" and twin.exists() else page


def translate(target: str, page: Path) -> str:
    """Return a link as the translated page must contain it: to the translation of its target, at the same heading."""
    path, hash_, anchor = target.partition("#")
    if re.match(r"[a-z]+:", target):
        return target
    there = page.parent / path if path else page
    twin = find_twin(there)
    if anchor and twin != there:
        anchor = list_anchors(twin)[list_anchors(there).index(anchor)]
    return (os.path.relpath(twin, page.parent) if path and twin != there else path) + hash_ + anchor


def list_facts(token: Token) -> Counter[str]:
    """Count the parts of a text that are the same in every language: inline code, links and figures."""
    facts: Counter[str] = Counter()
    for child in token.children or ():
        if child.type == "code_inline":
            facts[f"`{child.content}`"] += 1
        elif child.type == "link_open":
            facts[f"-> {unquote(str(child.attrGet('href')))}"] += 1
        elif child.type == "text":
            facts.update(re.sub("[.,]", "", figure) for figure in _FIGURE.findall(child.content))
    return facts


def expect_facts(token: Token, page: Path) -> Counter[str]:
    """Count the parts that the translation of a page's text must contain."""
    facts = list_facts(token)
    links = [fact for fact in facts if fact.startswith("-> ")]
    expected = Counter({fact: count for fact, count in facts.items() if fact not in links})
    for link in links:
        expected[f"-> {translate(link.removeprefix('-> '), page)}"] += facts[link]
    return expected


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_and_its_twin_are_built_alike(page: Path) -> None:
    ours, twin = ([(token.type, token.tag) for token in parse(each)] for each in (page, find_twin(page)))
    assert twin == ours


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_and_its_twin_print_the_same_lines_to_type(page: Path) -> None:
    ours, twin = (
        [
            _WORDS.sub("", token.content)
            for token in parse(each)
            if token.type == "fence" and _PICTURE not in token.content
        ]
        for each in (page, find_twin(page))
    )
    assert twin == ours


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_and_its_twin_name_the_same_things_in_each_text(page: Path) -> None:
    ours, twin = ([token for token in parse(each) if token.type == "inline"] for each in (page, find_twin(page)))
    different = []
    for english, portuguese in zip(ours, twin, strict=True):
        expected, found = expect_facts(english, page), list_facts(portuguese)
        if expected != found:
            different.append((portuguese.content[:60], "lacks", [*(expected - found)], "has", [*(found - expected)]))
    assert different == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_leads_to_its_twin_and_back(page: Path) -> None:
    twin = find_twin(page)
    assert twin != page
    assert f"]({twin.name})" in page.read_text("utf-8").split("\n## ")[0]
    assert f"]({page.name})" in twin.read_text("utf-8").split("\n## ")[0]
