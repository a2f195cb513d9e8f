"""The site's endpoints. Each page is compiled into an endpoint that shows errors in the site's frame."""

import functools
from collections.abc import Callable
from typing import Any

from balcao.core.errors import BalcaoError, TooMany
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import Endpoint, PageEndpoint
from balcao.core.http.refusal_pages import RefusalPage
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, NO_STORE, Response
from balcao.site.application import Site
from balcao.site.caching import finish_page
from balcao.site.declaration import Page
from balcao.site.faults import describe_api_fault, describe_fault, make_foreign_form
from balcao.site.look import ASSETS
from balcao.site.reading.reader import Exceeded
from balcao.site.visit import Head, Visit
from balcao.web.api import ApiFault
from balcao.web.endpoints import Unsent
from balcao.web.faults import PageFault
from balcao.web.guard import is_from_here

SERVICE = "site"
# A single line without dollar and percent signs, because the configurations of nginx and HAProxy contain such pages as
# literals.
_STYLE = (
    "body{font:1.0625rem/1.55 system-ui,sans-serif;max-width:38rem;margin:3rem auto;padding:0 1rem;color:#14213a;"
    "background:#faf8f4}h1{font-size:1.75rem;line-height:1.2}a{color:#1351b4}"
)


class FramedRefusals(RefusalPage, frozen=True, kw_only=True):
    """Error pages in the site's frame for requests that match no page.

    A request that is refused before it is parsed gets the small page from `RefusalPage` instead.
    """

    show: Callable[[BalcaoError], Response[Any]]

    def response(self, fault: BalcaoError) -> Response[Any]:
        """Return the error page, with the same headers as refusals in other formats."""
        return self.show(fault).with_added(ERROR_TEXT.response(fault).headers)


class Endpoints:
    """The compiler that turns the site's pages into endpoints."""

    def __init__(self, site: Site) -> None:
        self._site = site
        # Cache the page for refused requests, so that a flood of them costs little. It is rendered once for each value
        # of `Retry-After`.
        self._refuse_often = functools.lru_cache(64)(self._make_too_many)

    def list(self) -> list[tuple[str, str, Endpoint]]:
        """Return a (method, path, endpoint) triple for each page and for the static files."""
        pages = [page for area in self._site.areas for page in area.pages.declared]
        assets = PageEndpoint(SERVICE, f"{SERVICE}.asset", "GET", self._site.looks.respond_asset, self._refuse)
        return [
            *((page.method, page.path, self._compile(page)) for page in pages),
            ("GET", f"{ASSETS}/{{name}}", assets),
        ]

    def make_refusals(self) -> FramedRefusals:
        """Return the error pages for addresses that the site does not have."""
        return FramedRefusals(
            ERROR_TEXT.body,
            ERROR_TEXT.schema,
            site=self._site.city,
            style=_STYLE,
            links=(("/", "Ir para o início"),),
            show=self._show_unmatched,
        )

    def _compile(self, page: Page) -> PageEndpoint:
        names = page.parameters

        async def respond(request: Request) -> Response[Any]:
            self._site.count_page(request.peer)
            visit = Visit(self._site, request, page)
            if visit.is_post and not is_from_here(request.headers, self._site.origin):
                return self._render_fault(make_foreign_form(), visit).with_added(self._site.headers)
            try:
                response: Response[Any] = await page.function(
                    visit, **dict(zip(names, request.path_values, strict=True))
                )
            except ApiFault as fault:
                if isinstance(fault, Exceeded) and not visit.is_post:
                    raise TooMany(retry_after=fault.retry_after) from None  # a cached page answers it
                response = self._render_fault(self._describe(fault), visit)
            except PageFault as fault:
                response = self._render_fault(fault, visit)
            return finish_page(response, request, visit.max_age).with_added(self._guard(response))

        return PageEndpoint(SERVICE, f"{SERVICE}.{page.name}", page.method, respond, self._refuse, page.body_limit)

    def _guard(self, response: Response[Any]) -> dict[str, str]:
        """Return the security headers, without a `Cache-Control` that would replace the page's own."""
        return {name: value for name, value in self._site.headers.items() if name != "Cache-Control"}

    def _describe(self, fault: ApiFault) -> PageFault:
        return describe_api_fault(fault, self._site.name_data(fault), self._site.find_outage(fault))

    def _refuse(self, request: Request, fault: BalcaoError) -> Response[Any]:
        if isinstance(fault, TooMany):
            return self._refuse_often(fault.retry_after or 1)
        visit = Visit(self._site, request, None)
        return self._render_fault(describe_fault(fault), visit).with_added(self._site.headers)

    def _make_too_many(self, seconds: int) -> Response[Any]:
        return self._show_unmatched(TooMany(retry_after=seconds))

    def _show_unmatched(self, fault: BalcaoError) -> Response[Any]:
        return self._render_fault(describe_fault(fault), None).with_added(self._site.headers)

    def _render_fault(self, fault: PageFault, visit: Visit | None) -> Response[Any]:
        head = Head(fault.title, is_indexed=False)
        text = self._site.environment.get_template("frame/fault.html").render(
            visit=visit,
            page=visit.page if visit else None,
            head=head,
            fault=fault,
            own_address="",
            unsent=Unsent(visit.path, visit.posted) if visit and visit.is_post and fault.may_pass else None,
        )
        headers = {"Cache-Control": NO_STORE}
        if fault.retry_after is not None:
            headers["Retry-After"] = str(fault.retry_after)
        return Response(text.encode(), status=fault.status, headers=headers, media_type=HTML)
