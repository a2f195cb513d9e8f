"""Declarations of an area: its pages, its items on the first page, and its results for "Ir para".

    pages = Pages("operation", "/operacao")

    @pages.get("/tarefas", "Tarefas paradas", actions=["jobs:read"], in_menu=True)
    async def list_jobs(visit: Visit) -> Response[Any]: ...

    AREA = Area("Operação", 90, pages, waiting=[Waiting(["jobs:read"], find_stopped_jobs, "operation.list_jobs")])

The navigation, the routes, the first page and the tests of all pages use these declarations.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from balcao.web.declaration import MIB, PageFunction, SessionPage

PREFIX = "/painel"


@dataclass(frozen=True)
class Page(SessionPage):
    """A page of the panel: one method on one path.

    A person may open the page if they have one of the `actions`, or if it declares no actions. The navigation shows a
    page `for_staff` only to people who have a right, although every logged-in person may open it.
    """

    prefix: ClassVar[str] = PREFIX

    actions: tuple[str, ...] = ()
    in_menu: bool = False
    for_staff: bool = False


class Pages:
    """The pages of an area, or of one of its modules. `base` is the prefix of all their paths.

    An area with several modules passes their pages as `parts`, in the order of the navigation.
    """

    def __init__(self, area: str, base: str, parts: Sequence["Pages"] = ()) -> None:
        self.area = area
        self.base = base
        self.declared: list[Page] = [page for part in parts for page in part.declared]

    def get(
        self, path: str, label: str, *, actions: Sequence[str] = (), in_menu: bool = False
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare a page that only reads data."""
        return self._declare(["GET"], path, label, actions, in_menu=in_menu)

    def post(
        self, path: str, label: str, *, actions: Sequence[str] = (), body_limit: int = MIB, is_use: bool = True
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare the target of a button's POST. Its function must redirect to a page."""
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
        takes_file: bool = False,
    ) -> Callable[[PageFunction], PageFunction]:
        """Declare a page with a form that posts to the page's own address."""
        return self._declare(
            ["GET", "POST"],
            path,
            label,
            actions,
            in_menu=in_menu,
            for_staff=for_staff,
            body_limit=body_limit,
            takes_file=takes_file,
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
        takes_file: bool = False,
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
                    takes_file=takes_file,
                )
                self.declared.append(page)
            return function

        return declare


@dataclass(frozen=True)
class Item:
    """One pending task or search result: its title, its address and its button text.

    `number` counts the tasks that the item represents. It is 0 for work in progress that needs no action.
    """

    title: str
    href: str
    text: str = ""
    detail: str = ""
    urgency: Literal["urgent", "warning", "info"] = "info"
    action_label: str = "Ver"
    number: int = 1


@dataclass(frozen=True)
class Waiting:
    """A section of the first page. It shows the items from `find(visit)` to people who have one of the actions.

    If `find` fails, only this section fails. `page` names the page whose navigation entry shows the number of items,
    for example `operation.list_jobs`.
    """

    actions: Sequence[str]
    find: Callable[..., Awaitable[Sequence[Item]]]
    page: str = ""


@dataclass(frozen=True)
class Finder:
    """A search function whose results appear in "Ir para".

    `find(visit, text)` runs only if the person has one of `actions`.
    """

    actions: Sequence[str]
    find: Callable[..., Awaitable[Sequence[Item]]]


@dataclass(frozen=True)
class Area:
    """An area: one heading in the navigation with its pages.

    `order` sorts the areas. An area with an empty label has no heading.
    """

    label: str
    order: int
    pages: Pages
    waiting: Sequence[Waiting] = field(default=())
    finders: Sequence[Finder] = field(default=())

    @property
    def key(self) -> str:
        """Return the area's name as used in code and templates."""
        return self.pages.area
