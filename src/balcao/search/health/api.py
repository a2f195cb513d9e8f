"""Health routes of the search (rules: search 2.3)."""

from balcao.core.access.rules import public
from balcao.core.context.call import Call
from balcao.core.feature import Feature
from balcao.core.http.health import LIVE, READY, run_checks
from balcao.core.http.operations import PLATFORM_TAG
from balcao.core.http.responses import Response, to_json
from balcao.core.values.clock import to_unix_seconds, utc_now
from balcao.search.health.schemas import Health, Result, State
from balcao.search.health.service import check_readiness
from balcao.search.routes import ROUTES

routes = ROUTES.extend(tags=list(PLATFORM_TAG))


@routes.get("/liveness", "search.liveness", public(), "O processo está vivo", description=LIVE, in_maintenance=True)
def get_liveness() -> Health:
    return Health("alive", to_unix_seconds(utc_now()))


@routes.get(
    "/readiness",
    "search.readiness",
    public(),
    "O serviço pode atender",
    description=READY,
    same_body=[503],
    in_maintenance=True,
)
async def get_readiness(call: Call) -> Response[Health]:
    checks = await run_checks(call.platform, check_readiness)
    return _describe(checks, "ready" if all(checks.values()) else "not_ready")


@routes.get(
    "/health",
    "search.ready_health",
    public(),
    "O serviço pode atender",
    description=READY,
    same_body=[503],
    in_maintenance=True,
)
async def get_health(call: Call) -> Response[Health]:
    checks = await run_checks(call.platform, check_readiness)
    return _describe(checks, "healthy" if all(checks.values()) else "unhealthy")


def _describe(checks: dict[str, bool], status: State) -> Response[Health]:
    failed = [name for name, passed in checks.items() if not passed]
    words: dict[str, Result] = {name: "ok" if passed else "failed" for name, passed in checks.items()}
    return to_json(Health(status, to_unix_seconds(utc_now()), words, ", ".join(failed)), status=503 if failed else 200)


FEATURE = Feature(routes=routes.declared)
