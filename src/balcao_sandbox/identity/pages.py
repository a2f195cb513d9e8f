"""The provider's pages: plain HTML without scripts or external content."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template
from urllib.parse import urlsplit

from balcao.core.http.responses import HTML, Response
from balcao.web.templating import make_environment
from balcao_sandbox.identity import demo

_FOLDER = files("balcao_sandbox.identity") / "templates"
_TEMPLATES = make_environment("balcao_sandbox.identity", "templates")
# `form-action` must include the client's address, because browsers also apply it to the redirect after a form.
_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action {}"
_HEADERS = {
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}
_PERSON = "<tr><td>{}</td><td><code>{}</code></td><td><code>{}</code></td><td><code>{}</code></td></tr>"
_HIDDEN = '<input type="hidden" name="{}" value="{}">'


@dataclass(frozen=True)
class Site:
    """The citizen site, as its login page names it: the city, and the address of the first page."""

    city: str
    address: str


def render_login(
    action: str,
    csrf: str,
    back: str,
    username: str = "",
    fault: str = "",
    status: int = 200,
    style: str = "../../login.css",
    site: Site | None = None,
) -> Response[str]:
    """Render the login page. `action` is the form's address, and `back` is where the browser is finally redirected.

    The form is filled in with `username`, but never with a password. The page for citizens names the city and has a
    link back to its `site`.
    """
    values = {
        "action": action,
        "csrf": csrf,
        "username": username,
        "style": style,
        "heading": f"Entrar no site da Prefeitura de {site.city}" if site else "Entrar no Balcão",
        "place": site.city if site else "Balcão",
    }
    markup = {"fault": _render_fault_line(fault), "people": _render_people(), "way_back": _render_way_back(site)}
    return _render("login.html", values, status, markup, _list_form_targets(back))


def render_logout(action: str, fields: Mapping[str, str], back: str) -> Response[str]:
    """Render the page that asks for confirmation of a logout.

    Its form sends `fields` back. `back` is the address to which the browser is finally redirected, if any.
    """
    hidden = "".join(_HIDDEN.format(escape(name), escape(value)) for name, value in fields.items())
    return _render("logout.html", {"action": action}, 200, {"fields": hidden}, _list_form_targets(back))


def render_logged_out() -> Response[str]:
    """Render the page that follows a logout without a return address."""
    return _render("message.html", {"title": "Você saiu", "text": "A sua sessão foi encerrada."}, 200)


def render_fault(text: str, status: int) -> Response[str]:
    """Render an error as a page for people."""
    return _render("message.html", {"title": "Não foi possível continuar", "text": text}, status)


def render(name: str, status: int, **values: object) -> Response[str]:
    """Render a page whose forms may be sent only to the provider itself."""
    headers = _HEADERS | {"Content-Security-Policy": _POLICY.format("'self'")}
    return Response(
        _TEMPLATES.get_template(name).render(**values).encode(), status=status, media_type=HTML, headers=headers
    )


def read_style() -> Response[str]:
    """Return the style sheet for all pages."""
    return Response((_FOLDER / "style.css").read_bytes(), media_type="text/css; charset=utf-8")


def _render(
    name: str, values: Mapping[str, str], status: int, markup: Mapping[str, str] | None = None, targets: str = "'none'"
) -> Response[str]:
    """Render a template. Its forms may be sent only to `targets`."""
    escaped = {key: escape(value) for key, value in values.items()}
    text = Template((_FOLDER / name).read_text("utf-8")).substitute({**escaped, **(markup or {})})
    headers = _HEADERS | {"Content-Security-Policy": _POLICY.format(targets)}
    return Response(text.encode(), status=status, media_type=HTML, headers=headers)


def _list_form_targets(back: str) -> str:
    """Return the targets to which forms may be sent: our own origin, and the origin of the validated address `back`."""
    parts = urlsplit(back)
    return f"'self' {parts.scheme}://{parts.netloc}" if parts.netloc else "'self'"


def _render_fault_line(text: str) -> str:
    return f'<p class="fault" role="alert" id="fault">{escape(text)}</p>' if text else ""


def _render_way_back(site: Site | None) -> str:
    return f'<p><a href="{escape(site.address)}">Voltar ao site sem entrar</a></p>' if site else ""


def _render_people() -> str:
    rows = ((p.name, p.username, p.cpf, p.password) for p in demo.people())
    return "\n".join(_PERSON.format(*map(escape, row)) for row in rows)
