"""One request of a person for one page: who it is, what they may do, what they sent, and how it is answered."""

from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from balcao.core.http.forms import FormData, parse_fields
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, Response, redirect
from balcao.core.offloading import run_in_thread
from balcao.panel.api import Api
from balcao.panel.application import Panel
from balcao.panel.attendance import Attendance
from balcao.panel.declaration import PREFIX, Area, Page
from balcao.panel.rights import Rights
from balcao.panel.sessions.service import Session

# The parameter, and the field of a form, that name a kept text.
DRAFT_IN_ADDRESS, DRAFT = "rascunho", "_rascunho"
# The field that says where a form is, sealed (`working`).
PLACE = "_lugar"


class Crumb(NamedTuple):
    """A step of the way to a page; the last one leads nowhere."""

    label: str
    href: str = ""


class Visit:
    """What a page function is given.

    `api` calls the services as the person; `query` is the address's, `posted` the form's, empty in a GET. `draft` is
    what the person had typed into this page's form when a session was over, `notice` what the page says once,
    `counts` how much waits at the navigation's entries, by their names. A page that shows one person's data sets
    `attendance`, and the frame says whose data they are.
    """

    def __init__(
        self, panel: Panel, request: Request, page: Page, session: Session, api: Api, rights: Rights, posted: FormData
    ) -> None:
        self.panel = panel
        self.request = request
        self.page = page
        self.session = session
        self.api = api
        self.rights = rights
        self.posted = posted
        self.notice = ""
        self.draft = FormData()
        self.counts: Mapping[str, int] = {}
        self.attendance: Attendance | None = None

    @property
    def is_post(self) -> bool:
        """Return whether a form was sent."""
        return self.request.method == "POST"

    @property
    def is_fragment(self) -> bool:
        """Return whether the page's script asks for a part of it."""
        return b"hx-request" in self.request.headers and b"hx-boosted" not in self.request.headers

    @cached_property
    def query(self) -> FormData:
        """Return the address's parameters."""
        return parse_fields(self.request.query_string)

    @property
    def path(self) -> str:
        """Return the path of the address."""
        return self.request.path.decode("latin-1")

    @property
    def name(self) -> str:
        """Return the person's name, as the provider has it."""
        return self.session.identity.name or "Sem nome"

    @property
    def initials(self) -> str:
        """Return the first letters of the first and the last name."""
        words = self.name.split()
        return (words[0][:1] + (words[-1][:1] if len(words) > 1 else "")).upper()

    @property
    def form_secret(self) -> str:
        """Return what every form of this session carries."""
        return self.session.identity.form_secret

    @property
    def area(self) -> Area:
        """Return the area of the page."""
        return self.panel.areas_by_key[self.page.name.partition(".")[0]]

    def may(self, *actions: str) -> bool:
        """Return whether the person holds one of these actions."""
        return self.rights.include(*actions)

    def may_open(self, name: str, method: str = "GET") -> bool:
        """Return whether the person sees the page of this name, as in `operation.list_jobs`."""
        return self.rights.include(*self.panel.find_page(name, method).actions)

    def address(self, name: str, method: str = "", /, _query: dict[str, Any] | None = None, **values: object) -> str:
        """Return the address of a page by its name, with the values of its path; `_query` stands behind it."""
        asked = {key: value for key, value in (_query or {}).items() if value not in (None, "")}
        tail = f"?{urlencode(asked, doseq=True)}" if asked else ""
        return self.panel.find_page(name, method).address(**values) + tail

    def list_navigation(self) -> Iterable[tuple[Area, list[Page]]]:
        """Yield the areas of which the person may see a page, with these pages."""
        for area in self.panel.areas:
            shown = [
                page
                for page in area.pages.declared
                if page.in_menu and self.rights.include(*page.actions) and (self.rights.actions or not page.for_staff)
            ]
            if shown:
                yield area, shown

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response[Any]:
        """Return a page, or the part of one, from a template; it knows this visit as `visit`.

        A list that is past its end leads to its last page.
        """
        listing = values.get("listing")
        if listing is not None and listing.is_past_end:
            return redirect(listing.page_address(listing.pages), 303)
        return Response(self.render_text(template, **values).encode(), status=status, media_type=HTML)

    async def render_in_thread(self, template: str, *, status: int = 200, **values: Any) -> Response[Any]:
        """Return a page as `render` does, outside the event loop: for long texts in markdown."""
        return await run_in_thread(partial(self.render, template, status=status, **values))

    def render_text(self, template: str, **values: Any) -> str:
        """Return the text of a template that knows this visit as `visit`."""
        return self.panel.environment.get_template(template).render(visit=self, page=self.page, **values)

    async def redirect(self, address: str, notice: str = "") -> Response[Any]:
        """Lead on to another page of the panel, which says the notice once; what was typed is kept no longer."""
        if draft := self.posted.first(DRAFT):
            await self.panel.sessions.drop_draft(self.session, draft)
        if notice:
            await self.panel.sessions.leave_notice(self.session, notice)
        return redirect(address if address.startswith(PREFIX) else PREFIX, 303)
