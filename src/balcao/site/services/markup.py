"""Convert the texts of services to HTML: Markdown, and the few HTML elements that editors may write.

The search service has already removed unsafe elements (rules: search 3.1). The site allows even fewer elements: no
images, only the headings h3 to h6, and no attributes except `href`, `title` and `lang`. Markdown headings above h3 are
lowered. Of the HTML elements h1 and h2, only the text remains. HTML in a text that is too long or has too many tags is
shown as text.
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
# Texts up to this length, with at most this many tags, are sanitised in under 5 ms, however the tags nest.
_LONGEST_CLEANED, _MOST_TAGS = 20_000, 100
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).disable(["image"])


async def render_text(text: str) -> Markup:
    """Convert a service's text to HTML. Long texts are converted in a thread."""
    return await run_in_thread(_render, text, size=len(text))


@functools.lru_cache(maxsize=256)
def _render(text: str) -> Markup:
    html = render_markdown(text)
    if "<" in text and len(text) <= _LONGEST_CLEANED and text.count("<") <= _MOST_TAGS:
        html = Markup(_MARKDOWN.render(text))  # noqa: S704 - cleaned below
    if len(html) > 2 * _LONGEST_CLEANED:
        return html  # escape HTML in the text
    cleaned = nh3.clean(
        html, tags=_TAGS, attributes={"a": {"href"}}, url_schemes=_SCHEMES, link_rel="noreferrer", strip_comments=True
    )
    return Markup(cleaned)  # noqa: S704


def clean_highlight(text: str) -> Markup:
    """Return the title of a search result. Remove all elements except `mark`."""
    # Merge the marks of adjacent words into one.
    joined = text.replace("</mark> <mark>", " ")
    return Markup(nh3.clean(joined, tags={"mark"}, attributes={}, link_rel=None))  # noqa: S704
