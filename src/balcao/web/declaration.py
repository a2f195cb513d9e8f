"""Declarations of a surface's pages: their addresses, and the functions that render them."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias
from urllib.parse import quote

from balcao.core.http.responses import Response

# A page's function. Its arguments are the surface's subclass of `PageRequest`, and the path parameters by name.
PageFunction: TypeAlias = Callable[..., Awaitable[Response[Any]]]
MIB = 1_048_576
_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class DeclaredPage:
    """A page of a surface: one method on one path.

    `name` consists of area and function, for example `operation.list_jobs`.

    Each surface sets `prefix` in its own subclass. The function receives the path parameters as arguments with the same
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
        """Return the names of the path parameters, in order."""
        return _PARAMETER.findall(self.path)

    def address(self, **values: object) -> str:
        """Return the page's address, with these values for its path parameters."""
        return self.prefix + _PARAMETER.sub(lambda found: quote(str(values[found[1]]), safe=""), self.path)


@dataclass(frozen=True)
class SessionPage(DeclaredPage):
    """A page of a surface with a login.

    `body_limit` limits the size of the form. `is_use` is False for requests that the page's script sends without a
    user action. Such requests do not prolong the session. `takes_file` is True if the form may contain a file.
    `keeps_text` is False if the form has no text to store for the next session.
    """

    body_limit: int = MIB
    is_use: bool = True
    takes_file: bool = False
    keeps_text: bool = True
