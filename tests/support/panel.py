"""A person who uses the panel over HTTP: logs in as with a browser, opens pages and submits forms."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

import httpx

from balcao_sandbox.identity.demo import people_by_login
from tests.support.polling import PATIENCE


@dataclass
class PageForm:
    """A form on a page: its action, its method, the values of its fields, and its checked boxes.

    - `choices` are the options of the form's selections, radio buttons and checkboxes, by field name.
    - `needed` are the fields marked as required.
    - `buttons` are pairs of name and value, one for each button.
    """

    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    checked: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    needed: set[str] = field(default_factory=set)
    buttons: list[tuple[str, str]] = field(default_factory=list)


class PageContent(HTMLParser):
    """The content of a page: heading, text, links and forms."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[PageForm] = []
        self.heading = ""
        self.text = ""
        self._open: list[str] = []
        self._select = ""
        self._textarea = ""
        self.feed(page)
        self.text = re.sub(r"\s+", " ", self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag not in {"input", "meta", "link", "br", "img", "use", "path"}:
            self._open.append(tag)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "form":
            self.forms.append(PageForm(found.get("action", ""), found.get("method", "get")))
        elif self.forms and tag == "button" and "form" in self._open and found.get("type") != "button":
            self.forms[-1].buttons.append((found.get("name", ""), found.get("value", "")))
        elif self.forms and "name" in found:
            if found.get("type") in {"checkbox", "radio"} and "disabled" not in found:
                self.forms[-1].choices.setdefault(found["name"], []).append(found.get("value", "on"))
            if "aria-required" in found:
                self.forms[-1].needed.add(found["name"])
            if tag in {"input", "textarea"} and found.get("type") not in {"checkbox", "radio"}:
                self.forms[-1].values[found["name"]] = found.get("value", "")
                self._textarea = found["name"] if tag == "textarea" else ""
            elif tag == "input" and "checked" in found:
                self.forms[-1].checked[found["name"]] = found.get("value", "")
            elif tag == "select":
                self._select = found["name"]
        elif tag == "option" and self.forms and self._select:
            self.forms[-1].choices.setdefault(self._select, []).append(found.get("value", ""))
            if "selected" in found:
                self.forms[-1].values[self._select] = found.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._textarea = ""
        if tag == "select":
            self._select = ""
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._textarea:  # as browsers do, drop the first line break in a text area
            values = self.forms[-1].values
            values[self._textarea] += data.removeprefix("\n") if not values[self._textarea] else data
        if "h1" in self._open:
            self.heading += data


class PanelClient:
    """A browser without scripts, as a context manager. `page` is the page that is open."""

    # The first page of the surface, and a page with a form.
    home, account = "/painel", "/painel/conta"

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, headers={"Accept": "text/html"})
        self.page = PageContent("")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def login(self, username: str, path: str = "") -> httpx.Response:
        """Open `path`, and log in as a demo person on the provider's page.

        Return the page that follows. The default `path` is the first page.
        """
        asked = self.http.get(path or self.home, follow_redirects=True)
        if asked.url.path.startswith(self.home):  # the provider still has a session
            return self.remember(asked)
        form = PageContent(asked.text).forms[0]
        filled = form.values | {"username": username, "password": people_by_login()[username].password}
        sent = self.http.post(urljoin(str(asked.url), form.action), data=filled)
        return self.remember(self.http.get(sent.headers["location"], follow_redirects=True))

    def get(self, path: str) -> httpx.Response:
        """Open a page of the panel, and follow redirects."""
        return self.remember(self.http.get(path, follow_redirects=True))

    def submit(self, path: str, /, *, action: str | None = None, **values: str) -> httpx.Response:
        """Open the page, fill in the form that posts to `path` (or to `action`), and submit it."""
        self.get(path)
        form = self.find_form(action or path)
        return self.post(form.action or path, form.values | values)

    def find_form(self, action: str) -> PageForm:
        """Return the form on the open page that posts to this path."""
        posting = [form for form in self.page.forms if form.method == "post" and form.action == action]
        assert posting, f"no form posts to {action}: {[form.action for form in self.page.forms]}"
        return posting[0]

    def post(self, path: str, values: dict[str, str]) -> httpx.Response:
        """Submit a form with exactly these values, and follow the redirect."""
        origin = {"Origin": self.url, "Sec-Fetch-Site": "same-origin"}
        sent = self.http.post(path, data=values, headers=origin)
        if sent.is_redirect and urlsplit(sent.headers["location"]).netloc in {"", urlsplit(self.url).netloc}:
            sent = self.http.get(sent.headers["location"], follow_redirects=True)
        return self.remember(sent)

    def attend(self, cpf: str) -> httpx.Response:
        """As a clerk, start an attendance of this citizen, and return the page with the citizen's record."""
        reason = {"reason": "Andamento de um chamado", "detail": "senha 47"}
        return self.submit("/painel/atendimento", cpf=cpf, **reason)

    def read_secret(self) -> str:
        """Return the session's secret, which all forms contain."""
        forms = PageContent(self.http.get(self.account).text).forms
        return next(form.values["_csrf"] for form in forms if "_csrf" in form.values)

    def remember(self, answer: httpx.Response) -> httpx.Response:
        """Set `page` to the page that the response contains."""
        self.page = PageContent(answer.text)
        return answer


class CitizenClient(PanelClient):
    """A citizen who uses Minha página."""

    home = account = "/minha-pagina"
