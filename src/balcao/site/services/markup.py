"""The texts of services as HTML: Markdown, and the few HTML elements that editors may write.

The search service has already removed unsafe elements (rules: search 3.1). The site allows even fewer elements: no
images, no headings above its own, and no attributes except the address of a link.
"""

import functools

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from balcao.core.offloading import run_in_thread
from balcao.web.markup import render_markdown

_TAGS = {
    "a", "b", "blockquote", "br", "code", "em", "h3", "h4", "h5", "h6", "hr", "i", "li", "ol", "p", "strong", "sub",
    "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_SCHEMES = {"https", "http", "mailto", "tel"}
# The sanitiser needs under 5 ms for this much text with this many tags, however they nest.
_LONGEST_CLEANED, _MOST_TAGS = 20_000, 100
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).disable(["image"])


async def render_text(text: str) -> Markup:
    """Convert a text of a service to HTML. A long text is converted in a thread."""
    return await run_in_thread(_render, text, size=len(text))


@functools.lru_cache(maxsize=256)
def _render(text: str) -> Markup:
    html = render_markdown(text)
    if "<" in text and len(text) <= _LONGEST_CLEANED and text.count("<") <= _MOST_TAGS:
        html = Markup(_MARKDOWN.render(text))  # noqa: S704 - cleaned below
    if len(html) > 2 * _LONGEST_CLEANED:
        return html  # HTML in the text is escaped
    cleaned = nh3.clean(
        html, tags=_TAGS, attributes={"a": {"href"}}, url_schemes=_SCHEMES, link_rel="noreferrer", strip_comments=True
    )
    return Markup(cleaned)  # noqa: S704


def clean_highlight(text: str) -> Markup:
    """Return the title of a search result with its `mark` elements and no other elements."""
    # Merge the marks of adjacent words into one.
    joined = text.replace("</mark> <mark>", " ")
    return Markup(nh3.clean(joined, tags={"mark"}, attributes={}, link_rel=None))  # noqa: S704
