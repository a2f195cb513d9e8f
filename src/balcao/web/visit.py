"""One request for a page: what was asked for and sent, and how it is answered."""

from functools import cached_property, partial
from typing import Any

from jinja2 import Environment

from balcao.core.http.forms import FormData, parse_fields
from balcao.core.http.requests import Request
from balcao.core.http.responses import HTML, Response, redirect
from balcao.core.offloading import run_in_thread

# The parameter, and the field of a form, that name a kept text.
DRAFT_IN_ADDRESS, DRAFT = "rascunho", "_rascunho"
# The field that says where a form is, sealed.
PLACE = "_lugar"


class PageRequest:
    """What forms and lists of any surface need of a request.

    `posted` is the form that was sent, empty in a GET. `draft` is text that the person had typed into this form when
    their session ended. `notice` is a sentence that the page shows once.
    """

    def __init__(self, request: Request, environment: Environment, posted: FormData) -> None:
        self.request = request
        self.environment = environment
        self.posted = posted
        self.notice = ""
        self.draft = FormData()

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

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response[Any]:
        """Return a page, or the part of one, from a template, which knows this request as `visit`.

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
        """Return the text of a template that knows this request as `visit`."""
        return self.environment.get_template(template).render(visit=self, **values)
