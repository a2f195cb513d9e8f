"""The panel's addresses. Each page is compiled into an endpoint that finds the session and renders errors as pages."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from balcao.core.access.refusals import PAGE
from balcao.core.database.connection_quota import holder
from balcao.core.errors import BalcaoError, TooLarge
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import AdmitBody, PageEndpoint
from balcao.core.http.forms import FormData, read_form
from balcao.core.http.health import Readiness, is_database_up
from balcao.core.http.operations import UNCHECKED_BODY
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, Response, redirect, to_json
from balcao.core.http.routing import REST_OF_PATH
from balcao.core.http.unauthenticated_refusals import TooManyAnonymous, count_anonymous, refuse_often
from balcao.core.offloading import SMALL, run_in_thread
from balcao.core.values.clock import utc_now
from balcao.gateway.gateway import Mount
from balcao.panel.application import Panel
from balcao.panel.declaration import PREFIX, Page
from balcao.panel.refusals import REFUSAL_PAGE
from balcao.panel.rights import NO_RIGHTS, read_rights
from balcao.panel.visit import Visit
from balcao.panel.waiting import recount_area, refresh_counts, show_stored_counts
from balcao.web import guard, login
from balcao.web.api import Api, ApiFault
from balcao.web.faults import PageFault, describe_api_fault, make_not_allowed, make_not_found
from balcao.web.guard import FORM_SECRET
from balcao.web.login import Login
from balcao.web.provider import ProviderAway
from balcao.web.sessions.drafts import Draft
from balcao.web.sessions.session import Session, SessionOver
from balcao.web.visit import DRAFT, DRAFT_IN_ADDRESS

SERVICE = "panel"
READINESS = "/readiness"
# On their own machine, people may type either of these names, but the session cookie is valid only for the name to
# which the login returns.
_LOOPBACK = frozenset({"localhost", "127.0.0.1"})
# The largest form, in bytes, that the error page contains. Only the browser can send a larger form again.
_LARGEST_REPEATED = 256 * 1024


class Unsent(NamedTuple):
    """A form whose submission failed: its address and all of its fields."""

    address: str
    fields: FormData


class Endpoints:
    """The compiler that turns a panel's pages into endpoints."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._login = Login(panel, self._render_alone)

    def mount(self) -> Mount:
        """Return the mount for `/painel`: pages, login, static files, and a page for unknown addresses."""
        steps: list[tuple[str, str, str, Callable[[Request], Awaitable[Response[Any]]]]] = [
            ("GET", login.LOGIN, "login", self._login.begin),
            ("GET", login.RETURN, "login_return", self._login.finish),
            ("POST", login.LOGOUT, "logout", self._login.leave),
            ("GET", login.LEFT, "left", self._login.show_end),
        ]
        pages = [page for area in self._panel.areas for page in area.pages.declared]
        endpoints = [
            *((page.method, page.path or "/", self._compile(page)) for page in pages),
            *((method, path, self._make_endpoint(name, method, step)) for method, path, name, step in steps),
            ("POST", login.BACKCHANNEL, self._make_backchannel()),
            ("GET", READINESS, self._make_endpoint("readiness", "GET", self._respond_readiness, is_page=False)),
            ("GET", "/recursos/{name}", self._make_endpoint("asset", "GET", self._panel.assets.respond, is_page=False)),
            ("GET", f"/{REST_OF_PATH}", self._make_endpoint("nothing", "GET", self._show_nothing)),
        ]
        return Mount(SERVICE, PREFIX, endpoints, lambda _: ERROR_TEXT, page=REFUSAL_PAGE)

    # ---- compiling --------------------------------------------------------------------------------------------------

    def _compile(self, page: Page) -> PageEndpoint:
        names = page.parameters

        async def respond(request: Request) -> Response[Any]:
            if (canonical := self._find_canonical(request)) is not None:
                return redirect(canonical, 307)
            return await self._respond(request, page, dict(zip(names, request.path_values, strict=True)))

        if page.method != "POST":
            return self._make_endpoint(page.name, page.method, respond)
        admit = partial(self._admit_body, page)
        return self._make_endpoint(page.name, page.method, respond, body_limit=page.body_limit, admit_body=admit)

    def _make_endpoint(
        self,
        name: str,
        method: str,
        handler: Callable[[Request], Any],
        *,
        is_page: bool = True,
        body_limit: int = UNCHECKED_BODY,
        admit_body: AdmitBody | None = None,
    ) -> PageEndpoint:
        async def respond(request: Request) -> Response[Any]:
            try:
                response: Response[Any] = await handler(request)
            except PageFault as fault:
                response = self._render_fault(fault, request)
            return response.with_added({**self._panel.headers, **response.headers})

        def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
            if isinstance(fault, TooManyAnonymous):
                return refuse_often(REFUSAL_PAGE, fault.retry_after or 0)
            return self._render_fault(_describe(fault, request), request).with_added(self._panel.headers)

        chosen = respond if is_page else handler
        return PageEndpoint(SERVICE, f"{SERVICE}.{name}", method, chosen, refuse, body_limit, admit_body)

    def _make_backchannel(self) -> PageEndpoint:
        def refuse(_: Request, fault: BalcaoError) -> Response[Any]:
            return ERROR_TEXT.response(fault)

        receive = self._login.receive_logout_token
        return PageEndpoint(SERVICE, f"{SERVICE}.backchannel_logout", "POST", receive, refuse, 16_384)

    # ---- responding -------------------------------------------------------------------------------------------------

    async def _admit_body(self, page: Page, request: Request) -> int:
        """Return how many bytes of a large form to read: 0 if the person may not send the form to this page."""
        try:
            session = await self._login.find_session(request, is_use=False)
        except BalcaoError:  # the handler will fail too, and show the error
            return 0
        if session is None or not guard.is_from_here(request.headers, self._panel.origin):
            return 0
        return page.body_limit if session.may_send(page.actions) else 0

    async def _respond(self, request: Request, page: Page, values: dict[str, str]) -> Response[Any]:
        if request.method == "POST" and int(request.headers.get(b"content-length", b"0")) > page.body_limit:
            raise TooLarge()
        session = await self._login.find_session(request, is_use=page.is_use)
        if session is None:
            return await self._ask_for_login(request, page, None, FormData())
        posted = await self._read_posted(request, page, session) if request.method == "POST" else FormData()
        if not session.is_active:
            return await self._ask_for_login(request, page, session, posted)
        try:
            tokens = await self._panel.sessions.refresh_tokens(session)
            api = self._panel.call_as(tokens.access_token, request.id, request.peer)
            return await self._show(request, page, session, api, posted, values)
        except SessionOver:
            await self._panel.sessions.end(session)
            return await self._ask_for_login(request, page, session, posted)

    async def _read_posted(self, request: Request, page: Page, session: Session) -> FormData:
        """Return the submitted form. Return an empty form if the session has ended and the body was not read.

        Raises PageFault for a form of another site or session, or for a large form that the person may not send. Raises
        TooLarge for a form beyond the page's limit.
        """
        self._login.check_site(request)
        if request.content is None and not session.is_active:
            return FormData()
        if request.content is None and not session.may_send(page.actions):
            raise make_not_allowed(list(page.actions), page.label)
        holder.set(session.stored.subject_key.hex())
        posted = await run_in_thread(read_form, request, size=len(request.content or b""))
        self._login.check_secret(request, session, posted)
        return posted

    async def _show(
        self, request: Request, page: Page, session: Session, api: Api, posted: FormData, values: dict[str, str]
    ) -> Response[Any]:
        """Return the page, or an error page within the usual frame."""
        visit = Visit(self._panel, request, page, session, api, NO_RIGHTS, posted)
        try:
            async with self._panel.page_limiter.acquire(session.stored.subject_key):
                return await self._make(visit, values)
        except ApiFault as fault:
            return self._render_fault(describe_api_fault(fault), request, visit)
        except PageFault as fault:
            return self._render_fault(fault, request, visit)

    async def _make(self, visit: Visit, values: dict[str, str]) -> Response[Any]:
        """Return the page, or process the POST, if the person has the right.

        Raises PageFault without the right, and ApiFault for a failed call that the page needs.
        """
        page = visit.page
        visit.rights = await read_rights(visit.api)
        await self._panel.sessions.remember_actions(visit.session, visit.rights.actions)
        show_stored_counts(visit)
        if not visit.may(*page.actions):
            raise make_not_allowed(visit.rights.missing_actions(page.actions), page.label)
        if not visit.is_post and not visit.is_fragment:
            visit.notice = await self._panel.sessions.pop_notice(visit.session)
            await self._fill_draft(visit)
        response: Response[Any] = await page.function(visit, **values)
        if visit.is_post and response.status == 303:
            await recount_area(visit)
        elif not visit.is_post and not visit.is_fragment:
            refresh_counts(visit)
        return response

    async def _fill_draft(self, visit: Visit) -> None:
        """Fill the form with the draft that the page's address names, if it is a draft of this form."""
        if number := visit.query.first(DRAFT_IN_ADDRESS):
            draft = await self._panel.sessions.drafts.read(visit.session, number)
            if draft is not None and draft.path == visit.path:
                visit.draft = FormData({**draft.fields, DRAFT: [number]})

    async def _ask_for_login(
        self, request: Request, page: Page, session: Session | None, posted: FormData
    ) -> Response[Any]:
        """Redirect to the login. Store the typed text if the person's last known rights include the page."""
        if session is None:
            count_anonymous(self._panel.refusals, request, PAGE)
        if b"hx-request" in request.headers and request.method == "POST":
            # The page's script sent this next to a form that the person is typing in. Do not leave the page: submitting
            # the form stores the text.
            return Response(status=401)
        if b"hx-request" in request.headers:
            current = guard.split_address(request.headers.text(b"hx-current-url") or "")
            back = f"{current.path}?{current.query}" if current.query else current.path
            return Response(status=401, headers={"HX-Redirect": _login_address(back or PREFIX)})
        path = request.path.decode("latin-1")
        if request.method == "GET":
            query = request.query_string.decode("latin-1")
            return redirect(_login_address(f"{path}?{query}" if query else path), 303)
        kept, (back, query) = None, self._find_form(request, page)
        if session is not None and posted and session.stored.is_recent and session.may_have_opened(page.actions):
            count_anonymous(self._panel.refusals, request, PAGE, session.stored.subject_key.hex())
            fields = {name: values for name, values in posted.items() if name != FORM_SECRET}
            kept = await self._panel.sessions.drafts.store(session, Draft(back or path, page.label, fields))
        if back:
            asked = "&".join(filter(None, [f"{DRAFT_IN_ADDRESS}={kept}" if kept else "", query]))
            address = f"{back}?{asked}" if asked else back
        else:
            address = f"{PREFIX}/rascunhos/{kept}" if kept else PREFIX
        return self._render_alone("frame/over.html", 401, is_kept=kept is not None, login=_login_address(address))

    def _find_form(self, request: Request, page: Page) -> tuple[str, str]:
        """Return the path and query of the page with the submitted form.

        Both are empty if the browser does not name the page.
        """
        path = request.path.decode("latin-1")
        if self._panel.has_page(page.name, "GET"):
            return path, request.query_string.decode("latin-1")
        shown = guard.split_address(request.headers.text(b"referer") or "")
        is_form = shown.path not in {path, PREFIX} and guard.read_return_path(shown.path, PREFIX) == shown.path
        return (shown.path, shown.query) if is_form else ("", "")

    async def _respond_readiness(self, _: Request) -> Response[Readiness]:
        """Return the readiness response for gateways: 200 if the database is reachable, otherwise 503."""
        is_up = await is_database_up(self._panel.database)
        checks, failed = {"database": is_up, "overall": is_up}, [] if is_up else ["database"]
        body = Readiness("ready" if is_up else "not_ready", checks, SERVICE, utc_now(), failed)
        return to_json(body, status=200 if is_up else 503)

    async def _show_nothing(self, request: Request) -> Response[Any]:
        """Show that the page does not exist, within the usual frame if the person is logged in."""
        session = await self._login.find_session(request)
        if session is None or not session.is_active:
            count_anonymous(self._panel.refusals, request, PAGE)
            raise make_not_found()
        return await self._respond(request, _NOTHING, {})

    def _find_canonical(self, request: Request) -> str | None:
        """Return the page's configured address if a GET came to another loopback name or port, otherwise None."""
        host = request.headers.text(b"host") or ""
        wanted = urlsplit(self._panel.address)
        if request.method != "GET" or wanted.hostname not in _LOOPBACK or host == wanted.netloc:
            return None
        if guard.split_address(f"//{host}").hostname not in _LOOPBACK:
            return None
        query = request.query_string.decode("latin-1")
        return f"{self._panel.address}{request.path.decode('latin-1')}{'?' if query else ''}{query}"

    def _render_alone(self, template: str, status: int, **values: Any) -> Response[Any]:
        text = self._panel.environment.get_template(template).render(visit=None, page=None, **values)
        return Response(text.encode(), status=status, media_type=HTML)

    def _render_fault(self, fault: PageFault, request: Request, visit: Visit | None = None) -> Response[Any]:
        template = self._panel.environment.get_template("frame/fault.html")
        was_sent = fault.may_pass and request.method == "POST"
        unsent = self._find_unsent(request, visit) if was_sent else None
        text = template.render(visit=visit, page=None, fault=fault, unsent=unsent, was_sent=was_sent)
        headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
        return Response(text.encode(), status=fault.status, headers=headers, media_type=HTML)

    def _find_unsent(self, request: Request, visit: Visit | None) -> Unsent | None:
        """Return the submitted form, so that the error page can offer to send it again.

        While a service is down, the page in the browser may be the only place that can hold the form. Return None for a
        form that is too large, is malformed or comes from another site.
        """
        size = len(request.content or b"")
        is_small = size <= (SMALL if visit is None else _LARGEST_REPEATED)
        if not is_small or not guard.is_from_here(request.headers, self._panel.origin):
            return None
        try:
            fields = read_form(request) if visit is None else visit.posted
        except BalcaoError:  # the body is not a form
            return None
        query = request.query_string.decode("latin-1")
        path = request.path.decode("latin-1")
        return Unsent(f"{path}?{query}" if query else path, fields)


async def _find_nothing(_: Visit) -> Response[Any]:
    raise make_not_found()


_NOTHING = Page("home.nothing", "GET", f"/{REST_OF_PATH}", "Página", (), in_menu=False, function=_find_nothing)


def _login_address(back: str) -> str:
    return f"{PREFIX}{login.LOGIN}?para={quote(back, safe='/')}"


def _describe(fault: BalcaoError, request: Request) -> PageFault:
    """Return the error page for a fault of the panel itself."""
    if isinstance(fault, ProviderAway):
        return PageFault(503, "O login não respondeu", fault.message, request_id=request.id, retry_after=5)
    title = "O painel não conseguiu responder" if fault.status >= 500 else "O pedido não pôde ser atendido"
    return PageFault(fault.status, title, fault.message, request_id=request.id, retry_after=fault.retry_after)
