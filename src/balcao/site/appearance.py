"""The appearance that a visitor chose: light or dark, and larger text. A cookie stores it, so it needs no script.

The cookie contains only these choices. The site sets it only when the visitor asks for it.
"""

from typing import NamedTuple

from balcao.core.context.headers import Headers
from balcao.core.http.cookies import CookiesTooLarge, format_cookie, read_cookies

COOKIE = "aparencia"
_SECONDS = 365 * 24 * 3600
# The values of the cookie and of the form, with their texts.
THEMES = {"": "Como no aparelho", "clara": "Claras", "escura": "Escuras"}
SIZES = {"": "Normais", "grande": "Maiores", "enorme": "Muito maiores"}


class Appearance(NamedTuple):
    """The chosen theme and the size of the text. Empty values follow the device."""

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
    """Return the appearance that the browser's cookie contains. Unknown values count as the default."""
    try:
        value = read_cookies(headers).get(COOKIE, "")
    except CookiesTooLarge:  # cookies of other sites of the city
        return Appearance()
    theme, _, size = value.partition(".")
    return choose_appearance(theme, size)


def choose_appearance(theme: str, size: str) -> Appearance:
    """Return an appearance with these values. Unknown values count as the default."""
    return Appearance(theme if theme in THEMES else "", size if size in SIZES else "")
