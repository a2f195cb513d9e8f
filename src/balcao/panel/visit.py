"""One request for a panel page: the person, their rights, the submitted form, and the response."""

from collections.abc import Iterable, Mapping
from typing import Any

from balcao.core.http.forms import FormData
from balcao.core.http.requests import Request
from balcao.panel.application import Panel
from balcao.panel.attendance import Attendance
from balcao.panel.declaration import Area, Page
from balcao.panel.rights import Rights
from balcao.web.api import Api
from balcao.web.sessions.session import Session
from balcao.web.visit import SessionVisit


class Visit(SessionVisit):
    """A page request with the person, their rights and the panel. It is the first argument of a page function.

    `counts` maps navigation entries to their numbers of waiting items. A page that shows one citizen's data sets
    `attendance`, so that the frame shows whose data it is.
    """

    def __init__(
        self, panel: Panel, request: Request, page: Page, session: Session, api: Api, rights: Rights, posted: FormData
    ) -> None:
        super().__init__(panel, request, session, api, posted)
        self.panel = panel
        self.page = page
        self.rights = rights
        self.counts: Mapping[str, int] = {}
        self.attendance: Attendance | None = None

    @property
    def initials(self) -> str:
        """Return the initials of the person's first and last name."""
        words = self.name.split()
        return (words[0][:1] + (words[-1][:1] if len(words) > 1 else "")).upper()

    @property
    def area(self) -> Area:
        """Return the area that the page belongs to."""
        return self.panel.areas_by_key[self.page.name.partition(".")[0]]

    def may(self, *actions: str) -> bool:
        """Return whether the person has one of these actions. Return True if no actions are given."""
        return self.rights.include(*actions)

    def may_open(self, name: str, method: str = "GET") -> bool:
        """Return whether the person may open the page with this name, for example `operation.list_jobs`."""
        return self.rights.include(*self.panel.find_page(name, method).actions)

    def list_navigation(self) -> Iterable[tuple[Area, list[Page]]]:
        """Yield each area in the person's navigation, with the pages that the navigation lists."""
        for area in self.panel.areas:
            shown = [
                page
                for page in area.pages.declared
                if page.in_menu and self.rights.include(*page.actions) and (self.rights.actions or not page.for_staff)
            ]
            if shown:
                yield area, shown

    def render_text(self, template: str, **values: Any) -> str:
        """Render a template to a string. Templates can use `visit` (this object) and `page`."""
        return super().render_text(template, page=self.page, **values)
