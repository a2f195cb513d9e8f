"""Cookies: what a browser sends back, and what it is asked to keep."""

from collections.abc import Mapping
from http.cookies import CookieError, Morsel, SimpleCookie

from balcao.core.context.headers import Headers


def read_cookies(headers: Headers) -> Mapping[str, str]:
    """Return the cookies by name; none of a header that cannot be read."""
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.text(b"cookie") or "").items()}
    except CookieError:
        return {}


def format_cookie(
    name: str, value: str, *, secure: bool, path: str = "/", same_site: str = "lax", seconds: int | None = None
) -> str:
    """Return a `Set-Cookie` that no script reads; it lasts until the browser closes, or so many seconds.

    An empty value ends it now.
    """
    morsel: Morsel[str] = Morsel()
    morsel.set(name, value, value)
    morsel |= {"path": path, "httponly": True, "samesite": same_site, "secure": secure}
    if not value or seconds is not None:
        morsel["max-age"] = seconds if value else 0
    return morsel.OutputString()
