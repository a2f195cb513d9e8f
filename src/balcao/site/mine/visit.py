"""One request for a page of Minha página: the citizen, the submitted form, and the response."""

from functools import cached_property
from typing import Any

from balcao.core.http.forms import FormData
from balcao.core.http.requests import Request
from balcao.core.values.cpf import Cpf
from balcao.site.appearance import Appearance, read_appearance
from balcao.site.mine.application import MyPages
from balcao.site.mine.declaration import Page
from balcao.site.visit import Head
from balcao.web.api import Api, NotAllowed
from balcao.web.faults import PageFault
from balcao.web.person import client as people
from balcao.web.person.client import Subject
from balcao.web.sessions.session import Session
from balcao.web.visit import SessionVisit


class Visit(SessionVisit):
    """A citizen's page request. It is the first argument of a page function."""

    # The frame shows the age of stale answers. These pages never show any.
    checked_at = None
    area = "mine"

    def __init__(
        self, mine: MyPages, request: Request, page: Page, session: Session, api: Api, posted: FormData
    ) -> None:
        super().__init__(mine, request, session, api, posted)
        self.mine = mine
        self.declared = page

    @cached_property
    def appearance(self) -> Appearance:
        """Return the appearance that the visitor chose."""
        return read_appearance(self.request.headers)

    @property
    def own_address(self) -> str:
        """Return the path and query of the request."""
        query = self.request.query_string.decode("latin-1")
        return f"{self.path}?{query}" if query else self.path

    async def read_subject(self) -> Subject:
        """Return the person whose data the page shows. Raises PageFault if the login has no CPF."""
        try:
            return Subject(self.api, Cpf(await people.read_own_cpf(self.api)))
        except NotAllowed:
            raise PageFault(
                403,
                "A sua conta não tem CPF",
                "Minha página mostra o que é seu pelo CPF. O resto do site funciona sem ele; com dúvidas, ligue.",
            ) from None

    def render_text(self, template: str, **values: Any) -> str:
        """Render a template in the site's frame. The title is the page's label unless `head` or `title` is given."""
        head = values.pop("head", None) or Head(values.pop("title", self.declared.label), is_indexed=False)
        return super().render_text(template, head=head, page=None, **values)
