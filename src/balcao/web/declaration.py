"""The declared pages of a surface: their addresses, and the functions that show them."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias
from urllib.parse import quote

from balcao.core.http.responses import Response

# The function of a page. Its arguments are the surface's subclass of `PageRequest` and the path's parameters by name.
PageFunction: TypeAlias = Callable[..., Awaitable[Response[Any]]]
MIB = 1_048_576
_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class DeclaredPage:
    """One address of a surface. `name` consists of area and function, as in `operation.list_jobs`.

    Each surface sets `prefix` in its own subclass. The function gets the path's parameters as arguments of the same
    names.
    """

    prefix: ClassVar[str] = ""

    name: str
    method: str
    path: str
    label: str
    function: PageFunction

    @property
    def parameters(self) -> list[str]:
        """Return the names of the path's parameters, in order."""
        return _PARAMETER.findall(self.path)

    def address(self, **values: object) -> str:
        """Return the page's address with these values in its path."""
        return self.prefix + _PARAMETER.sub(lambda found: quote(str(values[found[1]]), safe=""), self.path)


@dataclass(frozen=True)
class SessionPage(DeclaredPage):
    """One address of a surface with a login.

    `body_limit` limits the form. `is_use` is False for requests that the page's script sends without a user action.
    They do not count as use of the session. `takes_file` is True if the form may contain a file.
    """

    body_limit: int = MIB
    is_use: bool = True
    takes_file: bool = False
