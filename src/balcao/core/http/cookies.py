"""Read a request's cookies, and format `Set-Cookie` headers."""

from collections.abc import Mapping
from http.cookies import Morsel

from balcao.core.context.headers import Headers
from balcao.core.errors import BalcaoError

# The maximum length of the header: four cookies of the largest size that browsers store. The header also carries the
# cookies of the city's other sites.
MOST_COOKIE_BYTES = 16 * 1024


class CookiesTooLarge(BalcaoError):
    status = 431
    default_message = "Os cookies deste endereço são grandes demais: apague-os no navegador e tente de novo."
    default_code = "cookies-too-large"


def read_cookies(headers: Headers) -> Mapping[str, str]:
    """Return the cookies by name. The last value of a repeated name wins.

    Raises CookiesTooLarge if the header is longer than MOST_COOKIE_BYTES. This does not use `http.cookies`, which takes
    quadratic time before Python 3.11.10 and 3.12.6 (CVE-2024-7592).
    """
    if len(headers.get(b"cookie", b"")) > MOST_COOKIE_BYTES:
        raise CookiesTooLarge()
    found: dict[str, str] = {}
    for pair in (headers.text(b"cookie") or "").split(";"):
        name, is_cookie, value = (part.strip(" \t") for part in pair.partition("="))
        if name and is_cookie:
            found[name] = value[1:-1] if value[:1] == value[-1:] == '"' else value
    return found


def format_cookie(
    name: str, value: str, *, secure: bool, path: str = "/", same_site: str = "lax", seconds: int | None = None
) -> str:
    """Return a `Set-Cookie` value for an HttpOnly cookie.

    The cookie lasts for `seconds`, or until the browser closes if `seconds` is None. An empty value deletes the cookie.
    """
    morsel: Morsel[str] = Morsel()
    morsel.set(name, value, value)
    morsel |= {"path": path, "httponly": True, "samesite": same_site, "secure": secure}
    if not value or seconds is not None:
        morsel["max-age"] = seconds if value else 0
    return morsel.OutputString()
