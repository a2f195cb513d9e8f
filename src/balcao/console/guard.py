"""What keeps other sites out: where a form came from, where a login may lead back to, and what a page may load."""

import hmac
from urllib.parse import SplitResult, urlsplit

from balcao.console.declaration import PREFIX
from balcao.console.sessions.service import Session
from balcao.core.context.headers import Headers
from balcao.core.http.forms import FormData

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


def read_return_path(address: str) -> str:
    """Return an address that a login may lead back to: a page of ours, else the first one."""
    parts = split_address(address if len(address) <= _LONGEST_ADDRESS and address.isprintable() else "")
    # Of the address itself, too: in `///painel` a browser finds a host, where its parts have none.
    is_ours = address.startswith(PREFIX) and (parts.path == PREFIX or parts.path.startswith(f"{PREFIX}/"))
    if parts.scheme or parts.netloc or not is_ours or "\\" in address or "//" in parts.path:
        return PREFIX
    return address


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
