"""One request for a page: its address, the submitted form and the response."""

from functools import cached_property, partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment

from balcao.core.http.forms import FormData, parse_fields
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, Response, redirect
from balcao.core.offloading import run_in_thread
from balcao.web.api import Api
from balcao.web.sessions.session import Session
from balcao.web.surface import Surface

# The query parameter and the form field that contain the id of a stored draft.
DRAFT_IN_ADDRESS, DRAFT = "rascunho", "_rascunho"
# The form field with which an error page returns to a form whose files were not stored, and the query parameter with
# which the login does.
REOPEN = "_reabrir"
# The form field that contains the encrypted token for an opened form.
FORM_ADDRESS_FIELD = "_lugar"
# The start of a stored notice that asks for attention.
_ATTENTION = "! "
_LOST_FILE = "Escolha o arquivo de novo. O resto está como você deixou, e nada foi enviado ainda."


class PageRequest:
    """A page request, with the data that the forms and lists of every surface need.

    `posted` is the submitted form, which is empty for a GET. `draft` is text that the person typed into this form
    earlier but could not send. `notice` is a sentence that the page shows once. `notice_kind` is "ok", or "at" if the
    notice asks for attention. `forms` are the forms that the page's function has made, which an error page needs for
    their labels.
    """

    def __init__(self, request: Request, environment: Environment, posted: FormData) -> None:
        self.request = request
        self.environment = environment
        self.posted = posted
        self.notice, self.notice_kind = "", "ok"
        self.draft = FormData()
        self.forms: list[Any] = []

    @property
    def is_post(self) -> bool:
        """Return whether a form was submitted, and not only opened again (`reopen`)."""
        return self.request.method == "POST" and REOPEN not in self.draft

    @property
    def is_fragment(self) -> bool:
        """Return whether the page's script requests only a part of the page."""
        return b"hx-request" in self.request.headers and b"hx-boosted" not in self.request.headers

    def reopen(self) -> None:
        """Show the submitted form with its text, as if it were a draft, so that the person can choose files again."""
        self.draft, self.posted = self.posted, FormData()
        self.report_lost_file()

    def report_lost_file(self) -> None:
        """Show that the file of the person's earlier form was not stored."""
        self.notice = _LOST_FILE

    @cached_property
    def query(self) -> FormData:
        """Return the query parameters."""
        return parse_fields(self.request.query_string)

    @property
    def path(self) -> str:
        """Return the path in the request's address."""
        return self.request.path.decode("latin-1")

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response[Any]:
        """Render a page or a part of a page. Templates can use this request as `visit`.

        If the page number of a list is after the last page, redirect to the last page.
        """
        listing = values.get("listing")
        if listing is not None and listing.is_past_end:
            return redirect(listing.page_address(listing.pages), 303)
        return Response(self.render_text(template, **values).encode(), status=status, media_type=HTML)

    async def render_in_thread(self, template: str, *, status: int = 200, **values: Any) -> Response[Any]:
        """Render a page in a thread.

        Use this instead of `render` for long Markdown texts, which would block the event loop.
        """
        return await run_in_thread(partial(self.render, template, status=status, **values))

    def render_text(self, template: str, **values: Any) -> str:
        """Render a template to a string. Templates can use this request as `visit`."""
        return self.environment.get_template(template).render(visit=self, **values)


class Crumb(NamedTuple):
    """One breadcrumb. The last breadcrumb has no link."""

    label: str
    href: str = ""


class SessionVisit(PageRequest):
    """A page request by a logged-in person. `api` calls the services on behalf of the person."""

    def __init__(self, surface: Surface[Any], request: Request, session: Session, api: Api, posted: FormData) -> None:
        super().__init__(request, surface.environment, posted)
        self.surface = surface
        self.session = session
        self.api = api

    @property
    def name(self) -> str:
        """Return the person's name as the provider sent it, or "Sem nome"."""
        return self.session.identity.name or "Sem nome"

    @property
    def form_secret(self) -> str:
        """Return the secret that every form of this session contains."""
        return self.session.identity.form_secret

    def address(self, name: str, method: str = "", /, _query: dict[str, Any] | None = None, **values: object) -> str:
        """Return the address of the page with this name.

        `values` are its path parameters, and `_query` its query parameters.
        """
        asked = {key: value for key, value in (_query or {}).items() if value not in (None, "")}
        tail = f"?{urlencode(asked, doseq=True)}" if asked else ""
        path: str = self.surface.find_page(name, method).address(**values)
        return path + tail

    def show_notice(self, stored: str) -> None:
        """Set the notice that `redirect` stored."""
        self.notice = stored.removeprefix(_ATTENTION)
        self.notice_kind = "ok" if self.notice == stored else "at"

    async def redirect(self, address: str, notice: str = "", *, is_done: bool = True) -> Response[Any]:
        """Redirect to another page of the surface. That page shows the notice once.

        Pass `is_done=False` if the notice says that nothing was done, so that it does not look like a success.

        If the form was filled in from a draft, delete the draft.
        """
        sessions, prefix = self.surface.sessions, self.surface.prefix
        if draft := self.posted.first(DRAFT):
            await sessions.drafts.drop(self.session, draft)
        if notice:
            await sessions.store_notice(self.session, notice if is_done else _ATTENTION + notice)
        return redirect(address if address.startswith(prefix) else prefix, 303)
