"""What keeps other sites out: where a form came from, where a login may lead back to, and what a page may load."""

import hmac
from urllib.parse import SplitResult, unquote, urlsplit

from balcao.core.context.headers import Headers
from balcao.core.http.forms import FormData
from balcao.web.sessions.service import Session

FORM_SECRET = "_csrf"  # noqa: S105 - the field's name
FORM_SECRET_HEADER = b"x-csrf-token"
_LONGEST_ADDRESS = 2_000


def is_from_here(headers: Headers, origin: str) -> bool:
    """Tell whether a browser says that the request comes from a page of ours; one that says nothing is believed.

    The form's secret is asked for besides.
    """
    site, sent = headers.text(b"sec-fetch-site"), headers.text(b"origin")
    return site in {None, "same-origin"} and sent in {None, origin}


def has_secret(session: Session, headers: Headers, form: FormData) -> bool:
    """Tell whether the form, or a call of its page's script, shows the secret of this session."""
    shown = headers.get(FORM_SECRET_HEADER) or form.first(FORM_SECRET).encode()
    return hmac.compare_digest(shown, session.identity.form_secret.encode())


def split_address(address: str) -> SplitResult:
    """Return the parts of an address that a browser sent; of what is none, as `//[`, there are none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def read_return_path(address: str, prefix: str) -> str:
    """Return an address that a login may lead back to: a page under `prefix`, else the first page.

    A browser or a proxy may decode an address several times, and may read a backslash as a slash. The path is
    therefore decoded completely before it is compared.
    """
    path, former = split_address(address).path if len(address) <= _LONGEST_ADDRESS else "", ""
    while path != former:
        path, former = unquote(path, errors="replace"), path
    segments = path.split("/")[1:]
    has_dots = any(segment.partition(";")[0] in {".", ".."} for segment in segments)
    is_plain = address.isprintable() and path.isprintable() and "\\" not in address + path
    # Of the address itself, too: in `///painel` a browser finds a host, where its parts have none.
    is_ours = address.startswith(prefix) and segments[:1] == [prefix.removeprefix("/")]
    return address if is_ours and is_plain and not has_dots and "//" not in path else prefix


def make_headers(issuer: str, *, is_secure: bool) -> dict[str, str]:
    """Return the headers of every page: nothing from elsewhere, nothing inline, in no frame, kept by nobody."""
    parts = urlsplit(issuer)
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        f"form-action 'self' {parts.scheme}://{parts.netloc}; frame-ancestors 'none'; base-uri 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    return headers | ({"Strict-Transport-Security": "max-age=31536000"} if is_secure else {})
