"""Converts the Markdown of services: no embedded HTML or images, and no headings above level 3."""

import functools

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

# The highest heading level within a field, because the page itself uses the levels above.
_HIGHEST_HEADING = 3
# The library does not create links that a browser would execute. HTML is shown as plain text.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable(["image", "html_inline", "html_block"])


@functools.lru_cache(maxsize=256)
def render_markdown(text: str) -> Markup:
    """Convert Markdown to HTML. HTML in the text is shown as plain text."""
    tokens = [_lower_heading(token) for token in _MARKDOWN.parse(text)]
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704 - HTML in it is escaped


def _lower_heading(token: Token) -> Token:
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(6, max(_HIGHEST_HEADING, int(token.tag[1]) + 1))}"
    return token
