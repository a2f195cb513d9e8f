"""The search page: a plain list of all guides, operations and error codes, and a script that searches it.

The list itself is the index. The script makes no requests, so a saved copy of the page works too.
"""

import functools
import html
import re
from collections.abc import Mapping, Sequence

from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.responses import HTML, Response
from balcao.core.service import Service
from balcao.developer_portal.guides import Guide, Guides
from balcao.developer_portal.operation_pages import CODES, ROOTS, list_code_areas, name_anchor
from balcao.web.templating import allow_script, make_environment, read_script, read_style

PATHS = {"pt-BR": "/docs/pt-BR/busca", "en": "/docs/en/search"}
_OTHER = {"pt-BR": "en", "en": "pt-BR"}
_STYLE = read_style("balcao.developer_portal", "portal.css")
_SCRIPT = read_script("balcao.developer_portal", "search.js")
_HEADERS = {
    "Content-Security-Policy": f"{allow_style(_STYLE)}; {allow_script(_SCRIPT)}",
    # The page changes only with a release, so it can be cached.
    "Cache-Control": "public, max-age=300",
}
# Search keywords for some guides, in addition to the words in the guide's text.
_KEYWORDS = {
    "errors": "rate limit throttling backoff retry timeout limite de taxa repetir tentativa",
    "pages-and-etags": "pagination paging cursor offset conditional paginação página seguinte concorrência",
    "webhooks": "signature hmac verify replay assinatura",
    "crm-events": "webhook signature idempotency assinatura idempotência",
    "first-call": "sdk client library python typescript javascript biblioteca cliente",
    "machine-call": "client credentials oauth scope escopo segredo",
    "first-login": "oauth openid pkce authorization code login token",
}
_TAG = re.compile(r"<[^>]+>")
_WORD = re.compile(r"[\w-]{3,}")


class SearchPage:
    """Renders the search page, once for each language."""

    def __init__(self, guides: Guides, services: Sequence[Service], titles: Mapping[str, str]) -> None:
        self._guides = guides
        self._services = services
        self._environment = make_environment("balcao.developer_portal")
        self._environment.filters["anchor"] = name_anchor
        self._environment.globals.update(style=_STYLE, script=_SCRIPT, titles=titles)
        self.render = functools.cache(self._render)

    def _render(self, language: str) -> Response[str]:
        """Render the page in one language."""
        own = [(path, guide) for path, guide in self._guides.by_path.items() if guide.language == language]
        operations = {
            service.name: [operation for operation in service.operations() if operation.in_description]
            for service in self._services
        }
        body = self._environment.get_template("search.html").render(
            lang=language,
            other=PATHS[_OTHER[language]],
            root=ROOTS[language],
            guides=[(path, guide, _list_words(guide)) for path, guide in own],
            services=self._services,
            operations=operations,
            codes_at=CODES[language],
            areas=list_code_areas(self._services),
        )
        return Response(body.encode(), media_type=HTML, headers=_HEADERS)


def _list_words(guide: Guide) -> str:
    """Return the distinct words of a guide's text and its keywords. The search also matches parts of words."""
    text = html.unescape(_TAG.sub(" ", guide.html)).lower() + " " + _KEYWORDS.get(guide.name, "")
    return " ".join(dict.fromkeys(_WORD.findall(text)))
