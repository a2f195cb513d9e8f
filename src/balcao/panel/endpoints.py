"""The panel's endpoints: its pages, with the rights and task counts that they need, readiness and static files."""

from typing import Any

from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.forms import FormData
from balcao.core.http.health import Readiness, is_database_up
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response, to_json
from balcao.core.http.routing import REST_OF_PATH
from balcao.core.values.clock import utc_now
from balcao.gateway.gateway import Mount
from balcao.panel.application import Panel
from balcao.panel.declaration import PREFIX, Page
from balcao.panel.refusals import REFUSAL_PAGE
from balcao.panel.rights import NO_RIGHTS, read_rights
from balcao.panel.visit import Visit
from balcao.panel.waiting import recount_area, refresh_counts, show_stored_counts
from balcao.web.api import Api
from balcao.web.endpoints import SessionEndpoints
from balcao.web.faults import PageFault, make_not_allowed, make_not_found
from balcao.web.provider import ProviderAway
from balcao.web.sessions.session import Session

SERVICE = "panel"
READINESS = "/readiness"


class Endpoints(SessionEndpoints[Page, Visit]):
    """The compiler that turns the panel's pages into endpoints."""

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel, REFUSAL_PAGE, _NOTHING)
        self._panel = panel

    def mount(self) -> Mount:
        """Return the mount for `/painel`: pages, login, static files, and a page for unknown addresses."""
        endpoints = [
            *self.list_endpoints(),
            ("GET", READINESS, self.make_endpoint("readiness", "GET", self._respond_readiness, is_page=False)),
            ("GET", "/recursos/{name}", self.make_endpoint("asset", "GET", self._panel.assets.respond, is_page=False)),
        ]
        return Mount(SERVICE, PREFIX, endpoints, lambda _: ERROR_TEXT, page=REFUSAL_PAGE)

    def make_visit(self, request: Request, page: Page, session: Session, api: Api, posted: FormData) -> Visit:
        """Make the visit, which is the first argument of every page function."""
        return Visit(self._panel, request, page, session, api, NO_RIGHTS, posted)

    def may_send(self, session: Session, page: Page) -> bool:
        """Return whether the person's last known rights allow sending the page's form."""
        return session.may_send(page.actions)

    def may_keep(self, session: Session, page: Page) -> bool:
        """Return whether the person's last known rights would have allowed opening the page."""
        return session.may_have_opened(page.actions)

    def make_refusal(self, page: Page) -> PageFault:
        """Return the error page that names the missing right."""
        return make_not_allowed(list(page.actions), page.label)

    async def prepare(self, visit: Visit, page: Page) -> None:
        """Read the person's rights and show the stored task counts.

        Raises PageFault if the person may not open the page.
        """
        visit.rights = await read_rights(visit.api)
        await self._panel.sessions.remember_actions(visit.session, visit.rights.actions)
        show_stored_counts(visit)
        if not visit.may(*page.actions):
            raise make_not_allowed(visit.rights.missing_actions(page.actions), page.label)

    async def finish(self, visit: Visit, response: Response[Any]) -> None:
        """Update the counts of waiting items.

        After a change, recount the page's area. Otherwise recount in the background if the counts are due.
        """
        if visit.is_post and response.status == 303:
            await recount_area(visit)
        elif not visit.is_post and not visit.is_fragment:
            refresh_counts(visit)

    def describe(self, fault: BalcaoError, request: Request) -> PageFault:
        """Convert an error of the panel itself to an error page."""
        if isinstance(fault, ProviderAway):
            return PageFault(503, "O login não respondeu", fault.message, request_id=request.id, retry_after=5)
        title = "O painel não conseguiu responder" if fault.status >= 500 else "O pedido não pôde ser atendido"
        return PageFault(fault.status, title, fault.message, request_id=request.id, retry_after=fault.retry_after)

    async def _respond_readiness(self, _: Request) -> Response[Readiness]:
        """Return the readiness response for gateways: 200 if the database is reachable, otherwise 503."""
        is_up = await is_database_up(self._panel.database)
        checks, failed = {"database": is_up, "overall": is_up}, [] if is_up else ["database"]
        body = Readiness("ready" if is_up else "not_ready", checks, SERVICE, utc_now(), failed)
        return to_json(body, status=200 if is_up else 503)


async def _find_nothing(_: Visit) -> Response[Any]:
    raise make_not_found()


_NOTHING = Page("home.nothing", "GET", f"/{REST_OF_PATH}", "Página", _find_nothing)
