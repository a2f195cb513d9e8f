"""The endpoints of Minha página."""

from typing import Any

from balcao.core.errors import BalcaoError
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.forms import FormData
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.http.routing import REST_OF_PATH
from balcao.gateway.gateway import Mount
from balcao.site.endpoints import Endpoints as SiteEndpoints
from balcao.site.faults import describe_fault
from balcao.site.mine.application import MyPages
from balcao.site.mine.declaration import PREFIX, Page
from balcao.site.mine.visit import Visit
from balcao.site.visit import Head
from balcao.web.api import Api, ApiFault, NotFound
from balcao.web.endpoints import SessionEndpoints
from balcao.web.faults import PageFault, make_not_found
from balcao.web.provider import ProviderAway
from balcao.web.sessions.session import Session


class Endpoints(SessionEndpoints[Page, Visit]):
    """The compiler that turns the pages of Minha página into endpoints."""

    def __init__(self, mine: MyPages) -> None:
        super().__init__(mine, SiteEndpoints(mine.site).make_refusals(), _NOTHING)
        self._mine = mine

    def mount(self) -> Mount:
        """Return the mount for `/minha-pagina`."""
        return Mount("site", PREFIX, self.list_endpoints(), lambda _: ERROR_TEXT, page=self._refusal_page)

    def make_visit(self, request: Request, page: Page, session: Session, api: Api, posted: FormData) -> Visit:
        """Make the visit, which is the first argument of every page function."""
        return Visit(self._mine, request, page, session, api, posted)

    def name_page(self, title: str) -> dict[str, Any]:
        """Return the head for an error page, or for a page without a session."""
        return {"head": Head(title, is_indexed=False)}

    def describe(self, fault: BalcaoError, request: Request) -> PageFault:
        """Convert an error of the site itself to an error page."""
        if isinstance(fault, ProviderAway):
            return PageFault(503, "A página de entrada não responde agora", fault.message, retry_after=5)
        return describe_fault(fault)

    def describe_call(self, fault: ApiFault) -> PageFault:
        """Convert a failed call to an error page. The text of a service about a missing record would name members."""
        return make_not_found() if isinstance(fault, NotFound) else super().describe_call(fault)


async def _find_nothing(_: Visit) -> Response[Any]:
    raise make_not_found()


_NOTHING = Page("mine.nothing", "GET", f"/{REST_OF_PATH}", "Minha página", _find_nothing)
