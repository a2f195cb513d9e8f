"""Declarations of the pages for a logged-in citizen.

pages = Pages("record", "/dados")

@pages.form("/telefone", "Mudar o telefone")
async def change_phone(visit: Visit) -> Response[Any]: ...
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from balcao.web.declaration import PageFunction, SessionPage
from balcao.web.service_requests.files import LARGEST_FILE

PREFIX = "/minha-pagina"
# The largest form body: a résumé with long texts, or a draft of it.
_LONGEST_FORM = 256 * 1024


@dataclass(frozen=True)
class Page(SessionPage):
    """A page of Minha página: one method on one path."""

    prefix: ClassVar[str] = PREFIX


class Pages:
    """The pages in one part of Minha página. `base` is the prefix of all their paths."""

    def __init__(self, part: str, base: str) -> None:
        self.part = part
        self.base = base
        self.declared: list[Page] = []

    def get(self, path: str, label: str) -> Callable[[PageFunction], PageFunction]:
        """Declare a page that only reads data."""
        return self._declare(["GET"], path, label)

    def post(self, path: str, label: str) -> Callable[[PageFunction], PageFunction]:
        """Declare the target of a button's POST. Its function must redirect to a page."""
        return self._declare(["POST"], path, label)

    def form(self, path: str, label: str) -> Callable[[PageFunction], PageFunction]:
        """Declare a page with a form that posts to the page's own address."""
        return self._declare(["GET", "POST"], path, label)

    def file_form(self, path: str, label: str, *, keeps_text: bool = False) -> Callable[[PageFunction], PageFunction]:
        """Declare a page whose form sends a file, and perhaps text, to the page's own address.

        A form with text is read even if its file is up to twice as large as the registry allows, so that a refusal
        keeps the text.
        """
        limit = (2 if keeps_text else 1) * LARGEST_FILE + _LONGEST_FORM
        return self._declare(["GET", "POST"], path, label, body_limit=limit, takes_file=True, keeps_text=keeps_text)

    def _declare(
        self,
        methods: Sequence[str],
        path: str,
        label: str,
        *,
        body_limit: int = _LONGEST_FORM,
        takes_file: bool = False,
        keeps_text: bool = True,
    ) -> Callable[[PageFunction], PageFunction]:
        def declare(function: PageFunction) -> PageFunction:
            name = f"{self.part}.{function.__name__}"
            for method in methods:
                self.declared.append(
                    Page(
                        name,
                        method,
                        self.base + path,
                        label,
                        function,
                        body_limit,
                        takes_file=takes_file,
                        keeps_text=keeps_text,
                    )
                )
            return function

        return declare
