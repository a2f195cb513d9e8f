"""Protection against other sites: the origin of forms, the redirect after a login, and security headers."""

import hmac
from urllib.parse import SplitResult, unquote, urlsplit

from balcao.core.context.headers import Headers
from balcao.core.http.forms import FormData
from balcao.web.sessions.session import Session

FORM_SECRET = "_csrf"  # noqa: S105 - the field's name
FORM_SECRET_HEADER = b"x-csrf-token"
# The longest accepted address. The login stores it in a cookie, which browsers limit to about 4,000 characters.
_LONGEST_ADDRESS = 2_000


def is_from_here(headers: Headers, origin: str) -> bool:
    """Return whether the browser's headers say that the request comes from one of our pages.

    If `Sec-Fetch-Site` or `Origin` is missing, do not reject the request, because the form's secret is checked too.
    """
    site, sent = headers.text(b"sec-fetch-site"), headers.text(b"origin")
    return site in {None, "same-origin"} and sent in {None, origin}


def has_secret(session: Session, headers: Headers, form: FormData) -> bool:
    """Return whether the request contains the session's form secret.

    The secret is in the form field, or in the header that a page's script sends.
    """
    shown = headers.get(FORM_SECRET_HEADER) or form.first(FORM_SECRET).encode()
    return hmac.compare_digest(shown, session.identity.form_secret.encode())


def split_address(address: str) -> SplitResult:
    """Split an address that a browser sent. For an invalid address such as `//[`, return empty parts."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def read_return_path(address: str, prefix: str) -> str:
    """Return the address for the redirect after a login.

    It is `prefix` unless the given address is a page under `prefix`.

    Browsers and proxies may decode an address several times, and may treat a backslash as a slash. Therefore the path
    is decoded completely before it is compared.
    """
    path, former = split_address(address).path if len(address) <= _LONGEST_ADDRESS else "", ""
    while path != former:
        path, former = unquote(path, errors="replace"), path
    segments = path.split("/")[1:]
    has_dots = any(segment.partition(";")[0] in {".", ".."} for segment in segments)
    is_plain = address.isprintable() and path.isprintable() and "\\" not in address + path
    # Check the raw address too: browsers find a host in `///painel`, but `urlsplit` does not.
    is_ours = address.startswith(prefix) and segments[:1] == [prefix.removeprefix("/")]
    return address if is_ours and is_plain and not has_dots and "//" not in path else prefix


def make_headers(issuer: str, *, is_secure: bool, scripts: bool = True) -> dict[str, str]:
    """Return the security headers for every page: no external or inline content, no framing, no caching.

    `issuer` is the provider to which forms may redirect, or empty. Without `scripts`, pages cannot run any script.
    """
    parts = urlsplit(issuer)
    targets = f"'self' {parts.scheme}://{parts.netloc}" if issuer else "'self'"
    script = "script-src 'self'; connect-src 'self'; " if scripts else ""
    policy = (
        f"default-src 'none'; {script}style-src 'self'; img-src 'self'; form-action {targets}; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    return headers | ({"Strict-Transport-Security": "max-age=31536000"} if is_secure else {})
