"""The endpoints of a surface with a login. Each page becomes an endpoint that finds the session and shows errors."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote, urlsplit

from balcao.core.access.refusals import PAGE
from balcao.core.database.connection_quota import holder
from balcao.core.errors import BalcaoError, TooLarge
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import AdmitBody, PageEndpoint
from balcao.core.http.forms import FormData, read_form
from balcao.core.http.operations import UNCHECKED_BODY
from balcao.core.http.refusal_pages import RefusalPage
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, Response, redirect
from balcao.core.http.routing import REST_OF_PATH
from balcao.core.http.unauthenticated_refusals import TooManyAnonymous, count_anonymous, refuse_often
from balcao.core.http.uploads import UploadForm, read_upload
from balcao.core.offloading import SMALL, run_in_thread
from balcao.web import guard, login
from balcao.web.api import Api, ApiFault
from balcao.web.declaration import SessionPage
from balcao.web.faults import PageFault, describe_api_fault, make_not_allowed, make_not_found, make_too_large
from balcao.web.guard import FORM_SECRET
from balcao.web.login import Login
from balcao.web.sessions.drafts import Draft
from balcao.web.sessions.session import Session, SessionOver
from balcao.web.surface import Surface
from balcao.web.visit import DRAFT, DRAFT_IN_ADDRESS, REOPEN, SessionVisit

PageT = TypeVar("PageT", bound=SessionPage)
VisitT = TypeVar("VisitT", bound=SessionVisit)

# On their own machine, people may type either of these host names. The session cookie is valid only for the name to
# which the login returns.
_LOOPBACK = frozenset({"localhost", "127.0.0.1"})
# The error page contains forms with up to this many characters. Only the browser can send a larger form again.
_LONGEST_REPEATED = 256 * 1024


# The titles of the pages that are shown without a session, by template.
_TITLES = {"frame/over.html": "A sua sessão terminou", "frame/left.html": "Você saiu"}


class Unsent(NamedTuple):
    """A form that could not be submitted: its address and all of its fields.

    `lacks_file` is True if a file of the form was not stored. The form is then shown again instead of sent. `answers`
    contains the typed values with the labels of their fields. It is empty if the labels are not known, because the
    error occurred before the page made its form.
    """

    address: str
    fields: FormData
    lacks_file: bool = False
    answers: Sequence[tuple[str, Sequence[str]]] = ()

    @property
    def texts(self) -> list[str]:
        """Return the typed values without the values that belong to the form itself."""
        return [value for name, values in self.fields.items() if not name.startswith("_") for value in values if value]


class SessionEndpoints(ABC, Generic[PageT, VisitT]):
    """The compiler that turns a surface's pages into endpoints. Each surface defines a subclass."""

    def __init__(self, surface: Surface[PageT], refusal_page: RefusalPage, nothing: PageT) -> None:
        """Set up the compiler.

        `refusal_page` is shown to people without a session, and the page `nothing` for unknown addresses.
        """
        self._surface = surface
        self._refusal_page = refusal_page
        self._nothing = nothing
        self._login = Login(surface, self._render_alone)

    # ---- what each surface decides ----------------------------------------------------------------------------------

    @abstractmethod
    def make_visit(self, request: Request, page: PageT, session: Session, api: Api, posted: FormData) -> VisitT:
        """Make the visit, which is the first argument of every page function."""

    def may_send(self, session: Session, page: PageT) -> bool:
        """Return whether to read a form that a session sends to this page. This includes sessions that have just ended.

        A form without text is not read after the session has ended, because files are not stored as drafts.
        """
        return session.is_active or (session.stored.is_recent and page.keeps_text)

    def may_keep(self, session: Session, page: PageT) -> bool:
        """Return whether to store the text that a person typed into this page if the session ended in the meantime."""
        return True

    def make_refusal(self, page: PageT) -> PageFault:
        """Return the error page for a person who may not send this page's form."""
        return make_not_allowed([], page.label)

    async def prepare(self, visit: VisitT, page: PageT) -> None:
        """Read the data that every page needs. Raises PageFault if the person may not see the page."""

    async def finish(self, visit: VisitT, response: Response[Any]) -> None:
        """Run the surface's own work after a successful page, for example recounting waiting items."""

    def name_page(self, title: str) -> dict[str, Any]:
        """Return additional values for the templates of two kinds of pages: error pages and pages without a session."""
        return {}

    @abstractmethod
    def describe(self, fault: BalcaoError, request: Request) -> PageFault:
        """Convert an error of the surface itself to an error page."""

    def describe_call(self, fault: ApiFault) -> PageFault:
        """Convert a failed call, without which the page cannot be shown, to an error page."""
        return describe_api_fault(fault)

    # ---- the endpoints ----------------------------------------------------------------------------------------------

    def list_endpoints(self) -> list[tuple[str, str, PageEndpoint]]:
        """Return (method, path, endpoint) for each page, for login and logout, and for unknown addresses."""
        steps: list[tuple[str, str, str, Callable[[Request], Awaitable[Response[Any]]]]] = [
            ("GET", login.LOGIN, "login", self._login.begin),
            ("GET", login.RETURN, "login_return", self._login.finish),
            ("POST", login.LOGOUT, "logout", self._login.leave),
            ("GET", login.LEFT, "left", self._login.show_end),
        ]
        return [
            *((page.method, page.path or "/", self._compile(page)) for page in self._surface.pages.values()),
            *((method, path, self.make_endpoint(name, method, step)) for method, path, name, step in steps),
            ("POST", login.BACKCHANNEL, self._make_backchannel()),
            ("GET", f"/{REST_OF_PATH}", self.make_endpoint("nothing", "GET", self._show_nothing)),
        ]

    # ---- compiling --------------------------------------------------------------------------------------------------

    def _compile(self, page: PageT) -> PageEndpoint:
        names = page.parameters

        async def respond(request: Request) -> Response[Any]:
            if (canonical := self._find_canonical(request)) is not None:
                return redirect(canonical, 307)
            try:
                return await self._respond(request, page, dict(zip(names, request.path_values, strict=True)))
            except TooLarge:
                raise make_too_large(page.takes_file, page.keeps_text) from None

        if page.method != "POST":
            return self.make_endpoint(page.name, page.method, respond)
        admit = partial(self._admit_body, page)
        return self.make_endpoint(page.name, page.method, respond, body_limit=page.body_limit, admit_body=admit)

    def make_endpoint(
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
            return response.with_added({**self._surface.headers, **response.headers})

        def refuse(request: Request, fault: BalcaoError) -> Response[Any]:
            if isinstance(fault, TooManyAnonymous):
                return refuse_often(self._refusal_page, fault.retry_after or 0)
            return self._render_fault(self.describe(fault, request), request).with_added(self._surface.headers)

        chosen = respond if is_page else handler
        return PageEndpoint(
            self._surface.name, f"{self._surface.name}.{name}", method, chosen, refuse, body_limit, admit_body
        )

    def _make_backchannel(self) -> PageEndpoint:
        def refuse(_: Request, fault: BalcaoError) -> Response[Any]:
            return ERROR_TEXT.response(fault)

        receive = self._login.receive_logout_token
        return PageEndpoint(
            self._surface.name, f"{self._surface.name}.backchannel_logout", "POST", receive, refuse, 16_384
        )

    # ---- responding -------------------------------------------------------------------------------------------------

    async def _admit_body(self, page: PageT, request: Request) -> int:
        """Return how many bytes of a large form to read. Return 0 if the person may not send the form to this page."""
        try:
            session = await self._login.find_session(request, is_use=False)
        except BalcaoError:  # the handler will fail in the same way and show the error
            return 0
        if session is None or not guard.is_from_here(request.headers, self._surface.origin):
            return 0
        return page.body_limit if self.may_send(session, page) else 0

    async def _respond(self, request: Request, page: PageT, values: dict[str, str]) -> Response[Any]:
        if request.method == "POST" and int(request.headers.get(b"content-length", b"0")) > page.body_limit:
            raise TooLarge()
        session = await self._login.find_session(request, is_use=page.is_use)
        if session is None:
            return await self._ask_for_login(request, page, None, FormData())
        posted = await self._read_posted(request, page, session) if request.method == "POST" else FormData()
        if not session.is_active:
            return await self._ask_for_login(request, page, session, posted)
        try:
            tokens = await self._surface.sessions.refresh_tokens(session)
            api = self._surface.call_as(tokens.access_token, request.id, request.peer)
            return await self._show(request, page, session, api, posted, values)
        except SessionOver:
            await self._surface.sessions.end(session)
            return await self._ask_for_login(request, page, session, posted)

    async def _read_posted(self, request: Request, page: PageT, session: Session) -> FormData:
        """Return the submitted form. Return an empty form if the session has ended and the body was not read.

        Raises PageFault for a form from another site or session, and for a large form that the person may not send.
        Raises TooLarge if the form exceeds the page's limit.
        """
        self._login.check_site(request)
        if request.content is None and not session.is_active:
            return FormData()
        if request.content is None and not self.may_send(session, page):
            raise self.make_refusal(page)
        holder.set(session.stored.subject_key.hex())
        read = read_upload if page.takes_file else read_form
        posted = await run_in_thread(read, request, size=len(request.content or b""))
        self._login.check_secret(request, session, posted)
        return posted

    async def _show(
        self, request: Request, page: PageT, session: Session, api: Api, posted: FormData, values: dict[str, str]
    ) -> Response[Any]:
        """Return the page, or an error page in the usual frame."""
        visit = self.make_visit(request, page, session, api, posted)
        try:
            async with self._surface.page_limiter.acquire(session.stored.subject_key):
                return await self._make(visit, page, values)
        except ApiFault as fault:
            return self._render_fault(self.describe_call(fault), request, visit)
        except PageFault as fault:
            return self._render_fault(fault, request, visit)

    async def _make(self, visit: VisitT, page: PageT, values: dict[str, str]) -> Response[Any]:
        """Return the page, or process the POST.

        Raises PageFault if the person may not see the page, and ApiFault if a call fails without which the page cannot
        be shown.
        """
        await self.prepare(visit, page)
        if page.takes_file and REOPEN in visit.posted:
            visit.reopen()
        elif not visit.is_post and not visit.is_fragment:
            visit.show_notice(await self._surface.sessions.pop_notice(visit.session))
            await self._fill_draft(visit)
            if page.takes_file and REOPEN in visit.query:
                visit.report_lost_file()
        response: Response[Any] = await page.function(visit, **values)
        await self.finish(visit, response)
        return response

    async def _fill_draft(self, visit: VisitT) -> None:
        """If the page's address names a draft of this form, fill the form with the draft."""
        if number := visit.query.first(DRAFT_IN_ADDRESS):
            draft = await self._surface.sessions.drafts.read(visit.session, number)
            if draft is not None and draft.path == visit.path:
                visit.draft = FormData({**draft.fields, DRAFT: [number]})

    async def _ask_for_login(
        self, request: Request, page: PageT, session: Session | None, posted: FormData
    ) -> Response[Any]:
        """Redirect to the login. Store the typed text first if the rights last read for the person include the page."""
        if session is None:
            count_anonymous(self._surface.refusals, request, PAGE)
        if b"hx-request" in request.headers and request.method == "POST":
            # The page's script sent this request while a person was typing into a form. Do not leave the page: the text
            # is stored when the person submits the form.
            return Response(status=401)
        if b"hx-request" in request.headers:
            current = guard.split_address(request.headers.text(b"hx-current-url") or "")
            back = f"{current.path}?{current.query}" if current.query else current.path
            return Response(status=401, headers={"HX-Redirect": self._find_login(back or self._surface.prefix)})
        path = request.path.decode("latin-1")
        if request.method == "GET":
            query = request.query_string.decode("latin-1")
            return redirect(self._find_login(f"{path}?{query}" if query else path), 303)
        kept, (back, query) = None, self._find_form(request, page)
        may_keep = session is not None and page.keeps_text and self.may_keep(session, page)
        if session is not None and posted and session.stored.is_recent and may_keep:
            count_anonymous(self._surface.refusals, request, PAGE, session.stored.subject_key.hex())
            fields = {name: values for name, values in posted.items() if name != FORM_SECRET}
            kept = await self._surface.sessions.drafts.store(session, Draft(back or path, page.label, fields))
        # A form that was not read may have had a file.
        lost_file = page.takes_file and (not posted or (isinstance(posted, UploadForm) and bool(posted.files)))
        if back:
            added = [f"{DRAFT_IN_ADDRESS}={kept}" if kept else "", f"{REOPEN}=1" if lost_file else ""]
            asked = "&".join(filter(None, [*added, query]))
            address = f"{back}?{asked}" if asked else back
        else:
            address = f"{self._surface.prefix}/rascunhos/{kept}" if kept else self._surface.prefix
        values = {"is_kept": kept is not None, "lost_file": lost_file, "login": self._find_login(address)}
        return self._render_alone("frame/over.html", 401, **values)

    def _find_login(self, back: str) -> str:
        return f"{self._surface.prefix}{login.LOGIN}?para={quote(back, safe='/')}"

    def _find_form(self, request: Request, page: PageT) -> tuple[str, str]:
        """Return the path and query of the page that contained the submitted form.

        Both are empty if they cannot be determined from the request.
        """
        path = request.path.decode("latin-1")
        if self._surface.has_page(page.name, "GET"):
            return path, request.query_string.decode("latin-1")
        shown = guard.split_address(request.headers.text(b"referer") or "")
        is_form = (
            shown.path not in {path, self._surface.prefix}
            and guard.read_return_path(shown.path, self._surface.prefix) == shown.path
        )
        return (shown.path, shown.query) if is_form else ("", "")

    async def _show_nothing(self, request: Request) -> Response[Any]:
        """Show that the page does not exist. If the person is logged in, use the usual frame."""
        session = await self._login.find_session(request)
        if session is None or not session.is_active:
            count_anonymous(self._surface.refusals, request, PAGE)
            raise make_not_found()
        return await self._respond(request, self._nothing, {})

    def _find_canonical(self, request: Request) -> str | None:
        """Return the page's configured address if a GET used another loopback name or port. Otherwise return None."""
        host = request.headers.text(b"host") or ""
        wanted = urlsplit(self._surface.address)
        if request.method != "GET" or wanted.hostname not in _LOOPBACK or host == wanted.netloc:
            return None
        if guard.split_address(f"//{host}").hostname not in _LOOPBACK:
            return None
        query = request.query_string.decode("latin-1")
        return f"{self._surface.address}{request.path.decode('latin-1')}{'?' if query else ''}{query}"

    def _render_alone(self, template: str, status: int, **values: Any) -> Response[Any]:
        values |= self.name_page(_TITLES[template])
        text = self._surface.environment.get_template(template).render(visit=None, page=None, **values)
        return Response(text.encode(), status=status, media_type=HTML)

    def _render_fault(self, fault: PageFault, request: Request, visit: VisitT | None = None) -> Response[Any]:
        template = self._surface.environment.get_template("frame/fault.html")
        was_sent = fault.may_pass and request.method == "POST"
        unsent = self._find_unsent(request, visit) if was_sent else None
        text = template.render(
            visit=visit,
            page=None,
            fault=fault,
            unsent=unsent,
            was_sent=was_sent,
            own_address=request.path.decode("latin-1"),
            **self.name_page(fault.title),
        )
        headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
        return Response(text.encode(), status=fault.status, headers=headers, media_type=HTML)

    def _find_unsent(self, request: Request, visit: VisitT | None) -> Unsent | None:
        """Return the submitted form, so that the error page can offer to send it again.

        While a service is down, the form's text may exist only in the browser's page. Return None if the text is too
        long, or if the form is malformed or comes from another site.
        """
        is_known = visit is not None or len(request.content or b"") <= SMALL
        if not is_known or not guard.is_from_here(request.headers, self._surface.origin):
            return None
        try:
            fields = read_upload(request) if visit is None else visit.draft or visit.posted
        except BalcaoError:  # the body is not a valid form
            return None
        if sum(len(value) for values in fields.values() for value in values) > _LONGEST_REPEATED:
            return None
        lacks_file = REOPEN in fields or (isinstance(fields, UploadForm) and bool(fields.files))
        if lacks_file:
            fields = FormData({**fields, REOPEN: ["1"]})
        query = request.query_string.decode("latin-1")
        path = request.path.decode("latin-1")
        answers = [pair for form in visit.forms for pair in form.describe_answers(fields)] if visit else []
        return Unsent(f"{path}?{query}" if query else path, fields, lacks_file, answers)
