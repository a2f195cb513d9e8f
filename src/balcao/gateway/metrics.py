"""The `/metrics` endpoint for Prometheus, and the check of who may read it."""

import hmac
from collections.abc import Callable, Sequence

from balcao.core.context.metrics import Metrics
from balcao.core.database.gauges import Gauge, collect_gauges
from balcao.core.database.pool import Database
from balcao.core.errors import NotFound, Unauthenticated
from balcao.core.http.endpoint import Responding
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.telemetry import MEDIA_TYPE
from balcao.settings import Settings

# A handler for a page that is not an operation of a service.
Handler = Callable[[Request], Responding]


def answer_scraper(
    settings: Settings, database: Database | None, metrics: Metrics, gauges: Sequence[Gauge], *, apart: bool
) -> Handler:
    """Return the handler for `/metrics`, whose output contains no paths and no personal data.

    Require `BALCAO_METRICS_TOKEN` if it is set. Without a token, allow every caller in the sandbox; in production allow
    callers only on a port that is `apart` from the public one. A process without a database has no gauges.
    """
    token = settings.metrics_token.get_secret_value()
    is_open = apart or settings.sandbox

    async def answer(request: Request) -> Response[bytes]:
        if token:
            _require(token, request)
        elif not is_open:
            raise NotFound()
        collected = await collect_gauges(database, gauges) if database else ()
        return Response(metrics.exposition(collected), media_type=MEDIA_TYPE)

    return answer


def _require(token: str, request: Request) -> None:
    scheme, _, shown = (request.headers.get(b"authorization") or b"").partition(b" ")
    if scheme.lower() != b"bearer" or not hmac.compare_digest(shown.strip(), token.encode()):
        raise Unauthenticated()
