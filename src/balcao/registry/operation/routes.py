"""Settings shared by all routes that operate the platform."""

from balcao.core.http.operations import SMALL_BODY
from balcao.registry.routes import ROUTES

# These routes respond while the registry is in maintenance, and have their own rate limit. An operator can therefore
# always end the maintenance or reset a limit (rules: registry 4.16).
OPERATION_ROUTES = ROUTES.extend(tags=["operation"], body_limit=SMALL_BODY, rate="10/second", in_maintenance=True)
