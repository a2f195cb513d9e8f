"""The router of a process, which offers all services at one origin.

The services themselves check the token and the access rule, with the same code as the check endpoint for external
gateways. The gateway and the services share a process, so each request is checked only once (ADR 0002).
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from balcao.core.access.refusals import Refusals
from balcao.core.errors import BalcaoError, MethodNotAllowed, NotFound
from balcao.core.http.dialects import Dialect
from balcao.core.http.endpoint import Endpoint, OptionsEndpoint, UnmatchedEndpoint, allowed_methods, unwrap
from balcao.core.http.operation_endpoint import OperationEndpoint
from balcao.core.http.refusal_pages import RefusalPage, wants_page
from balcao.core.http.requests import Request
from balcao.core.http.responses import RawHeaders, Response
from balcao.core.http.routing import Found, Paths

# The gateway handles this path itself, because no service has an operation at this path.
METRICS = "/metrics"
# The maximum number of cached paths with parameter values, and the maximum length of such a path. The cache uses at
# most two megabytes.
KNOWN_PATHS, LONGEST_KNOWN = 4096, 128


@dataclass(frozen=True, eq=False)
class Mount:
    """The endpoints under one prefix. `endpoints` are triples (method, path below the prefix, endpoint).

    - `base` is the beginning of every path in `endpoints`.
    - `dialect` returns the error format for a path without an endpoint.
    - `page` renders these errors for clients that accept HTML, even if a request is refused before it is read.
    - `lenient` is passed to `Paths`.
    """

    name: str
    prefix: str
    endpoints: Sequence[tuple[str, str, Endpoint]]
    dialect: Callable[[str], Dialect]
    base: str = ""
    lenient: bool = False
    page: RefusalPage | None = None


class Gateway:
    """The router of all mounts. `unprefixed` can also be called without its prefix. `pages` handles all other paths.

    `lifespan` opens the resources that the endpoints need. A server enters it before it listens. `refusals` counts
    calls to unknown paths.
    """

    def __init__(
        self,
        mounts: Sequence[Mount],
        pages: Mount,
        lifespan: Callable[[], AbstractAsyncContextManager[None]],
        unprefixed: Mount | None = None,
        refusals: Refusals | None = None,
    ) -> None:
        self.lifespan = lifespan
        self._pages = pages
        self._unprefixed = unprefixed
        self._refusals = refusals
        self._mounts: Mapping[bytes, tuple[Mount, bytes]] = {
            mount.prefix.split("/")[1].encode(): (mount, f"{mount.prefix}/".encode()) for mount in mounts
        }
        self._paths = {id(mount): _build_paths(mount) for mount in (*mounts, pages)}
        # Fast path: a path without parameters, or one that was matched recently, needs only one dictionary look-up.
        self._declared: Mapping[tuple[str, bytes], tuple[str, Endpoint, Sequence[str]]] = {
            (method, f"{mount.prefix}{path}".encode()): (mount.prefix, endpoint, ())
            for mount in mounts
            for method, path, endpoint in mount.endpoints
            if "{" not in path
        }
        self._known = dict(self._declared)

    def match(self, request: Request) -> Endpoint:
        """Find the endpoint for the request, and set the request's prefix and path values."""
        known = self._known.get((request.method, request.path))
        if known is not None:
            request.prefix, endpoint, request.path_values = known
            return endpoint
        mount, request.prefix, path = self._choose_mount(request.path)
        found = self._paths[id(mount)].find(path)
        if found is None:
            return self._refuse(mount, path, request, NotFound())
        method = "GET" if request.method == "HEAD" else request.method
        if method not in found.by_method:
            return self._find_without_method(mount, path, request, found)
        request.path_values, endpoint = found.values, found.by_method[method]
        if len(request.path) <= LONGEST_KNOWN:
            if len(self._known) >= len(self._declared) + KNOWN_PATHS:
                self._known = dict(self._declared)
            self._known[request.method, request.path] = request.prefix, endpoint, found.values
        return endpoint

    def show_unread(self, status: int, target: bytes, fields: RawHeaders) -> Response[Any] | None:
        """Return the refusal page of the path's mount if the client accepts HTML. Target and headers may be incomplete.

        If no Accept header has arrived, return the page too, because the client may be a browser.
        """
        page = self._choose_mount(target.partition(b"?")[0])[0].page if target.startswith(b"/") else None
        if page is None:
            return None
        accepted = b",".join(value for name, value in fields if name == b"accept").decode("latin-1")
        return page.show_unread(status) if not accepted or wants_page(accepted) else None

    def _choose_mount(self, path: bytes) -> tuple[Mount, str, bytes]:
        """Choose a mount by the first path segment. Return the mount, its prefix and the rest of the path."""
        known = self._mounts.get(path.split(b"/", 2)[1] if path.startswith(b"/") else b"")
        if known is not None:
            mount, prefix = known
            if path.startswith(prefix) or path == prefix[:-1]:
                return mount, mount.prefix, path[len(prefix) - 1 :] or b"/"
        unprefixed = self._unprefixed
        if unprefixed is not None and path != METRICS.encode() and path.startswith(unprefixed.base.encode() + b"/"):
            return unprefixed, "", path
        return self._pages, "", path

    def _find_without_method(self, mount: Mount, path: bytes, request: Request, found: Found[Endpoint]) -> Endpoint:
        allow = allowed_methods(found.by_method)
        if request.method == "OPTIONS":
            return OptionsEndpoint(mount.name, allow)
        return self._refuse(mount, path, request, MethodNotAllowed(allow))

    def _refuse(self, mount: Mount, path: bytes, request: Request, fault: BalcaoError) -> Endpoint:
        dialect: Dialect | None = mount.page
        if dialect is None or not wants_page(request.headers.text(b"accept")):
            dialect = self._choose_dialect(mount, path)
        return UnmatchedEndpoint(mount.name, request.method, dialect, fault, self._refusals)

    def _choose_dialect(self, mount: Mount, path: bytes) -> Dialect:
        """Choose the error format of operations with a similar path, or else the one for the start of the path."""
        for endpoint in self._paths[id(mount)].find_similar(path).values():
            if isinstance(inner := unwrap(endpoint), OperationEndpoint):
                return inner.operation.dialect
        return mount.dialect(path.decode("latin-1").removeprefix(mount.base))


def _build_paths(mount: Mount) -> Paths[Endpoint]:
    paths: Paths[Endpoint] = Paths(lenient=mount.lenient)
    for method, path, endpoint in mount.endpoints:
        paths.add(method, path, endpoint)
    return paths
