"""The route table for a gateway: areas of paths that share a body limit and error responses."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from balcao.core.access.caller import TokenRefused
from balcao.core.access.rules import PUBLIC
from balcao.core.errors import BalcaoError, TooLarge, TooMany, Unavailable
from balcao.core.http.dialects import ERROR_TEXT, Dialect
from balcao.core.http.operations import FORM_BODY, Operation
from balcao.core.http.responses import Response
from balcao.core.http.routing import REST_OF_PATH
from balcao.core.service import Service, path_of
from balcao.gateway.refusals import REFUSAL_PAGE
from balcao.panel.areas import PAGES as PANEL_PAGES
from balcao.panel.declaration import PREFIX
from balcao.panel.endpoints import READINESS
from balcao.panel.refusals import REFUSAL_PAGE as PANEL_REFUSAL_PAGE
from balcao.site.mine.declaration import PREFIX as MY_PAGES_PREFIX
from balcao.site.mine.parts import PARTS

# The area for the pages at the root and the provider's logout notifications, which belong to no service.
PAGES = "gateway"
# The area for the same paths if a browser requests them. Its errors are pages.
BROWSERS = f"{PAGES}_page"
PANEL = "panel"
PANEL_PATTERN = f"^{PREFIX}(/|$)"
# The area for the site's pages with a login, to which citizens send photos.
MY_PAGES = "my_pages"
MY_PAGES_PATTERN = f"^{MY_PAGES_PREFIX}(/|$)"
LIVENESS, PANEL_READINESS = "/liveness", f"{PREFIX}{READINESS}"
_PARAMETER = re.compile(r"\\\{[^/]*?\\\}")
# The seconds in `Retry-After` when a service is down or an address has exceeded its rate.
_RETRY_SECONDS = 1


@dataclass(frozen=True)
class Refusal:
    """An error response that the gateway itself sends. It is identical to the response of the service behind it."""

    status: int
    headers: dict[str, str]
    body: str
    media_type: str


@dataclass(frozen=True)
class Area:
    """The paths that match `pattern`, belong to `service`, allow `body_limit` bytes and have the same error responses.

    `name` is a valid identifier in every configuration file. The refusals are responses that the gateway itself sends.
    `asks_token` is False for pages with a login, because browsers send them a cookie instead of a token. An area with
    `for_browsers` applies only to requests whose `Accept` header names HTML and not JSON.
    """

    name: str
    service: str
    pattern: str
    readiness: str
    body_limit: int
    token_refused: Refusal
    too_large: Refusal
    too_many: Refusal
    unavailable: Refusal
    asks_token: bool = True
    for_browsers: bool = False


def list_gateway_areas(services: Sequence[Service], panel_readiness: str = LIVENESS) -> list[Area]:
    """Return the areas in order. The first area that matches a request applies, and the last area matches every path.

    `panel_readiness` is the readiness path of the processes with the panel, or empty if no process has it.
    """
    panel = [_describe_panel(panel_readiness)] if panel_readiness else []
    pages = Area(PAGES, PAGES, "^/", LIVENESS, FORM_BODY, *_word_refusals(ERROR_TEXT, TooLarge()))
    shown = Area(
        BROWSERS, PAGES, "^/", LIVENESS, FORM_BODY, *_word_refusals(REFUSAL_PAGE, TooLarge()), for_browsers=True
    )
    return [*(area for service in services for area in _divide(service)), *panel, _describe_my_pages(), shown, pages]


def list_public_patterns(services: Sequence[Service]) -> list[str]:
    """Return a pattern for each public path, for the panel's paths and for the site's pages with a login.

    The gateway does not check tokens for these paths.
    """
    found = {
        _to_pattern([_path(service, operation)])
        for service in services
        for operation in service.operations()
        if operation.rule.action == PUBLIC
    }
    return sorted({*found, PANEL_PATTERN, MY_PAGES_PATTERN})


def _describe_panel(readiness: str) -> Area:
    """Return the panel's area. Its body limit is that of the largest form."""
    limit = max(page.body_limit for page in PANEL_PAGES.values())
    refusals = _word_refusals(PANEL_REFUSAL_PAGE, TooLarge())
    return Area(PANEL, PANEL, PANEL_PATTERN, readiness, limit, *refusals, asks_token=False)


def _describe_my_pages() -> Area:
    """Return the area of the site's pages with a login. Its body limit is that of the largest form, with a file."""
    limit = max(page.body_limit for part in PARTS for page in part.declared)
    refusals = _word_refusals(REFUSAL_PAGE, TooLarge())
    return Area(MY_PAGES, PAGES, MY_PAGES_PATTERN, LIVENESS, limit, *refusals, asks_token=False)


def _divide(service: Service) -> Iterator[Area]:
    """Yield areas for operations with special error responses, then one area for each dialect of the service."""
    root = service.prefix + service.base
    operations = service.operations()

    def make(name: str, pattern: str, within: Sequence[Operation], dialect: Dialect, fault: BalcaoError) -> Area:
        limit = max((one.body_limit for one in within if one.method != "GET"), default=FORM_BODY)
        return Area(name, service.name, pattern, f"{root}/readiness", limit, *_word_refusals(dialect, fault))

    def group_key(one: Operation) -> tuple[str, str]:
        return one.dialect.schema.__name__, one.too_large.__qualname__

    special = sorted((one for one in operations if _is_special(service, one)), key=group_key)
    for number, (_, group) in enumerate(groupby(special, key=group_key), start=1):
        alike = list(group)
        pattern = _to_pattern(sorted({_path(service, one) for one in alike}))
        yield make(f"{service.name}_{number}", pattern, alike, alike[0].dialect, alike[0].too_large())
    for start in sorted(service.dialects, key=len, reverse=True):
        within = [one for one in operations if one.path.startswith(start)]
        pattern = f"^{re.escape(root + start)}" if start else f"^{re.escape(service.prefix)}(/|$)"
        yield make(service.name + _to_word(start), pattern, within, service.dialects[start], TooLarge())


def _is_special(service: Service, operation: Operation) -> bool:
    too_large: Callable[[], BalcaoError] = operation.too_large
    return too_large is not TooLarge or operation.dialect.body is not service.dialect(operation.path).body


def _word_refusals(dialect: Dialect, too_large: BalcaoError) -> tuple[Refusal, Refusal, Refusal, Refusal]:
    return (
        _make_refusal(dialect, TokenRefused("gateway")),
        _make_refusal(dialect, too_large),
        _make_refusal(dialect, TooMany(retry_after=_RETRY_SECONDS)),
        _make_refusal(dialect, Unavailable(retry_after=_RETRY_SECONDS)),
    )


def _make_refusal(dialect: Dialect, fault: BalcaoError) -> Refusal:
    response: Response[Any] = dialect.response(fault)
    return Refusal(fault.status, dict(response.headers), response.body.decode(), response.media_type)


def _path(service: Service, operation: Operation) -> str:
    return service.prefix + path_of(service, operation)


def _to_word(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", path.lower()).rstrip("_")


def _to_pattern(paths: Sequence[str]) -> str:
    """Return a pattern that matches these paths with any parameter values, with or without a trailing slash."""
    rest = re.escape(REST_OF_PATH)
    forms = [_PARAMETER.sub("[^/]+", re.escape(path).replace(rest, ".*")).rstrip("/") for path in paths]
    return f"^({'|'.join(forms)})/?$"
