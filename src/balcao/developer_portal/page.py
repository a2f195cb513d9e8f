"""The portal's front page and guides. They work without scripts."""

from collections.abc import Mapping, Sequence

from balcao.core.access.live import Maintenance
from balcao.core.http.refusal_pages import allow_style
from balcao.core.http.responses import HTML, Response
from balcao.core.service import Service
from balcao.developer_portal.guides import INDEX, Guide, Guides, path_of
from balcao.web.templating import make_environment, read_style

_STYLE = read_style("balcao.developer_portal", "portal.css")
_HEADERS = {"Content-Security-Policy": allow_style(_STYLE)}
# The guides change only with a release, so they can be cached.
_CACHED = {"Cache-Control": "public, max-age=300"}
_OTHER = {"pt-BR": "en", "en": "pt-BR"}


class PortalPages:
    """Renders `/docs` and the guides.

    `own_clients` is the address at which developers create clients at the embedded identity provider. `controls` is the
    address at which they inject faults into the sandbox CRM. Each is None if the installation has no such page.
    """

    def __init__(
        self,
        guides: Guides,
        services: Sequence[Service],
        titles: Mapping[str, str],
        *,
        has_panel: bool,
        own_clients: str | None,
        controls: str | None,
    ) -> None:
        self._guides = guides
        self._services = services
        self._environment = make_environment("balcao.developer_portal")
        self._environment.globals.update(style=_STYLE, titles=titles, has_panel=has_panel)
        self._environment.globals.update(own_clients=own_clients, controls=controls, issuer=guides.issuer)

    def render_front(self, closed: Mapping[str, Maintenance]) -> Response[str]:
        """Return the front page: the panel, the guides, and the services with their maintenance messages."""
        notes = {name: refusal.message for name, each in closed.items() if (refusal := each.refusal())}
        index = self._guides.by_path[path_of(INDEX, "pt-BR")]
        body = self._environment.get_template("front.html").render(
            services=self._services, notes=notes, index=index, lang="pt-BR"
        )
        return Response(body.encode(), media_type=HTML, headers=_HEADERS)

    def render_guide(self, path: str) -> Response[str]:
        """Return a guide's page, with a link to the next guide."""
        guide = self._guides.by_path[path]
        body = self._environment.get_template("guide.html").render(
            guide=guide,
            lang=guide.language,
            other=path_of(guide.name, _OTHER[guide.language]),
            home=path_of(INDEX, guide.language),
            following=self._find_following(path),
        )
        return Response(body.encode(), media_type=HTML, headers=_HEADERS | _CACHED)

    def _find_following(self, path: str) -> tuple[str, Guide] | None:
        language = self._guides.by_path[path].language
        own = [entry for entry in self._guides.by_path.items() if entry[1].language == language]
        place = [there for there, _ in own].index(path)
        return own[place + 1] if place + 1 < len(own) else None
