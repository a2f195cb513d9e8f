"""The markdown of a service as a portal shows it: no HTML of its own, no pictures, headings below the page's."""

import functools

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

# What a field says under a heading of the page begins at this level.
_HIGHEST_HEADING = 3
# Addresses that a browser would execute are no links to the library; HTML is shown as the text that it is.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable(["image", "html_inline", "html_block"])


@functools.lru_cache(maxsize=256)
def render_markdown(text: str) -> Markup:
    """Return the markdown as HTML that holds no markup but our own."""
    tokens = [_lower_heading(token) for token in _MARKDOWN.parse(text)]
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704 - HTML in it is escaped


def _lower_heading(token: Token) -> Token:
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(6, max(_HIGHEST_HEADING, int(token.tag[1]) + 1))}"
    return token
