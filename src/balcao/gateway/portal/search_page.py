"""The page of all guides and operations: a list that everybody can read, which a script of its own searches.

It asks nobody for anything: the list is the index, so that a saved copy is searched as well.
"""

import base64
import functools
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.responses import HTML, Response
from balcao.core.service import Service
from balcao.gateway.portal.guides import Guide, Guides
from balcao.gateway.portal.operation_pages import ROOTS
from balcao.gateway.rendering import make_environment, read_style

PATHS = {"pt-BR": "/docs/pt-BR/busca", "en": "/docs/en/search"}
_OTHER = {"pt-BR": "en", "en": "pt-BR"}
_STYLE = read_style("balcao.gateway.portal", "portal.css")
_SCRIPT = (files("balcao.gateway.portal") / "search.js").read_text("utf-8")
_DIGEST = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_HEADERS = {
    "Content-Security-Policy": f"{allow_style(_STYLE)}; script-src 'sha256-{_DIGEST}'",
    # It changes with a release alone.
    "Cache-Control": "public, max-age=300",
}
_TAG = re.compile(r"<[^>]+>")
_WORD = re.compile(r"[\w-]{3,}")


class SearchPage:
    """Renders the list in each language, once."""

    def __init__(self, guides: Guides, services: Sequence[Service], titles: Mapping[str, str]) -> None:
        self._guides = guides
        self._services = services
        self._environment = make_environment("balcao.gateway.portal")
        self._environment.globals.update(style=_STYLE, script=_SCRIPT, titles=titles)
        self.render = functools.cache(self._render)

    def _render(self, language: str) -> Response[str]:
        """Return the page."""
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
        )
        return Response(body.encode(), media_type=HTML, headers=_HEADERS)


def _list_words(guide: Guide) -> str:
    """Return every word of a guide once, as it is searched for whole words and parts of them alone."""
    text = html.unescape(_TAG.sub(" ", guide.html)).lower()
    return " ".join(dict.fromkeys(_WORD.findall(text)))
