"""The guides from `docs/guides`, converted from Markdown to HTML, with the addresses of this installation."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

_PACKAGE = Path(__file__).parents[1]
# A wheel contains the guides inside this package. In the source tree, they are in the documentation folder.
FOLDER = next(path for path in (_PACKAGE / "guides", _PACKAGE.parents[1] / "docs/guides") if path.is_dir())
INDEX = "README"
# The file name ending for each language. `.pt-BR.md` comes first, because such a name also ends with `.md`.
ENDINGS = {"pt-BR": ".pt-BR.md", "en": ".md"}
# The example addresses in the guides, for the platform and its identity provider.
ADDRESS = "http://127.0.0.1:8080"
ISSUER = f"{ADDRESS}/auth/realms/balcao"
# Skip this many Markdown tokens at the start of a guide: the title, and the link to the other language. The page header
# already shows both.
_HEAD = 6
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


@dataclass(frozen=True)
class Guide:
    """A guide in one language. `html` is the content below the title."""

    name: str
    language: str
    title: str
    html: Markup


@dataclass(frozen=True)
class Guides:
    """All guides of an installation. They are read when the first guide is requested."""

    address: str
    issuer: str

    @cached_property
    def by_path(self) -> dict[str, Guide]:
        """Return the guides by page path.

        The index of each language comes first and determines the order of the other guides.
        """
        return {path_of(name, language): self._read(name, language) for language in ENDINGS for name in _list(language)}

    def _read(self, name: str, language: str) -> Guide:
        text = (FOLDER / f"{name}{ENDINGS[language]}").read_text("utf-8")
        tokens = _MARKDOWN.parse(text.replace(ISSUER, self.issuer).replace(ADDRESS, self.address))
        title = tokens[1].content
        for heading, inline in pairwise(tokens):
            if heading.type == "heading_open":
                heading.attrSet("id", _name_anchor(inline.content))
        for link in _list_links(tokens):
            link.attrSet("href", _lead(str(link.attrGet("href"))))
        html = _MARKDOWN.renderer.render(tokens[_HEAD:], _MARKDOWN.options, {})
        return Guide(name, language, title, Markup(html))  # noqa: S704 - HTML in it is escaped


def list_paths() -> Iterator[str]:
    """Yield the page path of each guide. This reads only the file names."""
    for file in sorted(FOLDER.glob("*.md")):
        language = next(language for language, ending in ENDINGS.items() if file.name.endswith(ending))
        yield path_of(file.name.removesuffix(ENDINGS[language]), language)


def path_of(name: str, language: str) -> str:
    """Return the path of a guide's page."""
    return f"/docs/{language}" if name == INDEX else f"/docs/{language}/{name}"


def _list(language: str) -> list[str]:
    """Return the index, then the guides in the order in which the index links to them."""
    tokens = _MARKDOWN.parse((FOLDER / f"{INDEX}{ENDINGS[language]}").read_text("utf-8"))
    targets = [str(link.attrGet("href")) for link in _list_links(tokens[_HEAD:])]
    return [INDEX, *(target.removesuffix(ENDINGS[language]) for target in targets if target.endswith(".md"))]


def _list_links(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or () if child.type == "link_open"]


def _lead(target: str) -> str:
    """Replace a link to another guide's file with the path of its page."""
    file, hash_, anchor = target.partition("#")
    for language, ending in ENDINGS.items():
        if file.endswith(ending) and "/" not in file:
            return path_of(file.removesuffix(ending), language) + hash_ + anchor
    return target


def _name_anchor(title: str) -> str:
    """Return the anchor of a heading, in the format that common Markdown hosts use."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
