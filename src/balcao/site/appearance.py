"""The appearance that a visitor chose: light or dark, and larger text.

A cookie stores the choice, so that no script is needed. The cookie contains nothing else. The site sets it only when
the visitor makes a choice.
"""

from typing import NamedTuple

from balcao.core.context.headers import Headers
from balcao.core.http.cookies import CookiesTooLarge, format_cookie, read_cookies

COOKIE = "aparencia"
_SECONDS = 365 * 24 * 3600
# The values in the cookie and in the form, with their labels.
THEMES = {"": "Como no aparelho", "clara": "Claras", "escura": "Escuras"}
SIZES = {"": "Normais", "grande": "Maiores", "enorme": "Muito maiores"}


class Appearance(NamedTuple):
    """The chosen theme and text size. Empty values follow the device's settings."""

    theme: str = ""
    size: str = ""

    @property
    def is_default(self) -> bool:
        return self == Appearance()

    def make_cookie(self, *, is_secure: bool) -> str:
        """Return the `Set-Cookie` value. The default appearance deletes the cookie."""
        value = "" if self.is_default else f"{self.theme}.{self.size}"
        return format_cookie(COOKIE, value, path="/", seconds=_SECONDS, secure=is_secure)


def read_appearance(headers: Headers) -> Appearance:
    """Read the appearance from the browser's cookie. Unknown values count as the default."""
    try:
        value = read_cookies(headers).get(COOKIE, "")
    except CookiesTooLarge:  # other sites of the city set too many cookies
        return Appearance()
    theme, _, size = value.partition(".")
    return choose_appearance(theme, size)


def choose_appearance(theme: str, size: str) -> Appearance:
    """Return an appearance with these values. Unknown values count as the default."""
    return Appearance(theme if theme in THEMES else "", size if size in SIZES else "")
