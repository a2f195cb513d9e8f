"""Rejects forbidden markup in Markdown texts, and converts them to plain text (rules: search 3.1)."""

import html
import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

from balcao.core.errors import Invalid
from balcao.search.sanitising import find_lost

_ELEMENT = re.compile(r"<\s*/?\s*(?:script|iframe|object|embed|style)\b", re.IGNORECASE)
_TAG = re.compile(r"<[a-z!/?]", re.IGNORECASE)
_HANDLER = re.compile(r"[\s\"'/]on[a-z]+\s*=", re.IGNORECASE)
# Matched after removing blanks, control characters and backslashes, because browsers ignore them in an address.
_LINK = re.compile(r"(?:\]\(<?|\]:<?|=[\"']?|<)(?:javascript|vbscript|data):", re.IGNORECASE)
_DROPPED = re.compile(r"[\s\x00-\x20\\]+")

# Every forbidden text contains one of these characters, even if it is written with character references.
_NEEDED = re.compile(r"[<=\]&@]")
# A line that starts with a letter and contains no character with a special meaning in Markdown or HTML.
_ORDINARY = re.compile(r"[^\W\d_](?:[^\W_]|[ ,.;:()/\"'%?!$+ºª°–—-])*")

_MARKDOWN = MarkdownIt("commonmark")


def refuse_active(field: str, text: str) -> None:
    """Reject markup that could run in a browser, and markup that is removed from responses, also in code blocks.

    Raises Invalid. If possible, the message names the tag or attribute.
    """
    if not _NEEDED.search(text):
        return
    plain = html.unescape(text)
    tag = _TAG.search(plain)
    handler = tag is not None and _HANDLER.search(plain, tag.start())
    if _ELEMENT.search(plain) or handler or _LINK.search(_DROPPED.sub("", plain)):
        raise Invalid(
            f"O campo `{field}` contém elementos ou endereços que executam código: remova-os.", code=f"{field}-active"
        )
    if lost := find_lost(text):
        said = "tem um link cujo endereço não é aceito" if lost == "link" else f"contém `{lost}`, que não é aceito"
        raise Invalid(f"O campo `{field}` {said}: corrija ou remova.", code=f"{field}-markup")


def to_plaintext(text: str) -> str:
    """Convert Markdown to plain text, with one line for each block."""
    return text.strip() if _ORDINARY.fullmatch(text) else read_markdown(text)


def read_markdown(text: str) -> str:
    """Do the same as `to_plaintext`, but always with the parser, which is about a hundred times slower."""
    lines = [_join_inline(token.children or []) if token.type == "inline" else token.content for token in _shown(text)]
    return "\n".join(line for line in (_strip_tags(line).strip() for line in lines) if line)


def _shown(text: str) -> list[Token]:
    return [token for token in _MARKDOWN.parse(text) if token.content]


def _join_inline(children: list[Token]) -> str:
    breaks = {"softbreak": " ", "hardbreak": "\n"}
    return "".join(breaks.get(child.type, child.content) for child in children)


def _strip_tags(text: str) -> str:
    words = _TextCollector()
    words.feed(text)
    words.close()
    return "".join(words.found)


class _TextCollector(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)
