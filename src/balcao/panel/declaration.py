"""How an area declares itself: its pages, what it brings to the first page, what "Ir para" finds in it.

    pages = Pages("operation", "/operacao")

    @pages.get("/tarefas", "Tarefas paradas", actions=["jobs:read"], in_menu=True)
    async def list_jobs(visit: Visit) -> Response[Any]: ...

    AREA = Area("Operação", 90, pages, waiting=[Waiting(["jobs:read"], find_stopped_jobs, "operation.list_jobs")])

Navigation, routes, the first page and the tests of all pages come from these declarations.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from balcao.core.http.responses import Response

PREFIX = "/painel"
MIB = 1_048_576

# Of a `Visit`, which knows what is declared here, and the values of the path's parameters by their names.
PageFunction: TypeAlias = Callable[..., Awaitable[Response[Any]]]
_PARAMETER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Page:
    """One address of the panel; `name` is area and function, as in `operation.list_jobs`.

    A person sees it who holds one of the `actions`, everybody who is logged in where there is none. The values of the
    path's parameters are the function's arguments of the same names. What a page asks for by itself is no use of it.
    The navigation offers a page `for_staff` only to people who hold a right, although everyone may open it.
    """

    name: str
    method: str
    path: str
    label: str
    actions: tuple[str, ...]
    in_menu: bool
    function: PageFunction
    body_limit: int = MIB
    is_use: bool = True
    for_staff: bool = False

    @property
    def parameters(self) -> list[str]:
        """Return the names of the path's parameters, in their order."""
        return _PARAMETER.findall(self.path)

    def address(self, **values: object) -> str:
        """Return the page's address with these values in its path."""
        return PREFIX + _PARAMETER.sub(lambda found: quote(str(values[found[1]]), safe=""), self.path)


class Pages:
    """The pages of one area, or of one module of it; `base` stands before all of their paths.

    An area of several modules has those of its `parts`, in the order of the navigation.
    """

    def __init__(self, area: str, base: str, parts: Sequence["Pages"] = ()) -> None:
        self.area = area
        self.base = base
        self.declared: list[Page] = [page for part in parts for page in part.declared]

    def get(
        self, path: str, label: str, *, actions: Sequence[str] = (), in_menu: bool = False
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare a page that is only looked at."""
        return self._declare(["GET"], path, label, actions, in_menu=in_menu)

    def post(
        self, path: str, label: str, *, actions: Sequence[str] = (), body_limit: int = MIB, is_use: bool = True
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare a deed: what a button posts to. It answers with a redirect to a page."""
        return self._declare(["POST"], path, label, actions, body_limit=body_limit, is_use=is_use)

    def form(
        self,
        path: str,
        label: str,
        *,
        actions: Sequence[str] = (),
        in_menu: bool = False,
        for_staff: bool = False,
        body_limit: int = MIB,
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare a page with a form that posts to the page's own address."""
        return self._declare(
            ["GET", "POST"], path, label, actions, in_menu=in_menu, for_staff=for_staff, body_limit=body_limit
        )

    def _declare(
        self,
        methods: Sequence[str],
        path: str,
        label: str,
        actions: Sequence[str],
        *,
        in_menu: bool = False,
        for_staff: bool = False,
        body_limit: int = MIB,
        is_use: bool = True,
    ) -> Callable[[PageFunction], PageFunction]:
        def declare(function: PageFunction) -> PageFunction:
            for method in methods:
                page = Page(
                    name=f"{self.area}.{function.__name__}",
                    method=method,
                    path=self.base + path,
                    label=label,
                    actions=tuple(actions),
                    in_menu=in_menu and method == "GET",
                    function=function,
                    body_limit=body_limit,
                    is_use=is_use,
                    for_staff=for_staff,
                )
                self.declared.append(page)
            return function

        return declare


@dataclass(frozen=True)
class Item:
    """One thing that waits, or was found: what it is, where it is done, and what the button there says.

    `number` is how many it stands for, 0 for what only goes on.
    """

    title: str
    href: str
    text: str = ""
    detail: str = ""
    urgency: Literal["urgent", "warning", "info"] = "info"
    deed: str = "Ver"
    number: int = 1


@dataclass(frozen=True)
class Waiting:
    """A part of the first page: what `find(visit)` says waits for who holds one of the actions. It fails alone.

    `page` is the entry of the navigation, as in `operation.list_jobs`, beside which its number stands.
    """

    actions: Sequence[str]
    find: Callable[..., Awaitable[Sequence[Item]]]
    page: str = ""


@dataclass(frozen=True)
class Finder:
    """What `find(visit, text)` finds for "Ir para" in an area, for who holds one of the actions."""

    actions: Sequence[str]
    find: Callable[..., Awaitable[Sequence[Item]]]


@dataclass(frozen=True)
class Area:
    """One heading of the navigation with its pages; `order` is its place among the areas. Without label: no heading."""

    label: str
    order: int
    pages: Pages
    waiting: Sequence[Waiting] = field(default=())
    finders: Sequence[Finder] = field(default=())

    @property
    def key(self) -> str:
        """Return the word by which code and templates call the area."""
        return self.pages.area
