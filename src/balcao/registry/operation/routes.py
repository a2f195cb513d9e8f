"""The common settings of the routes for the platform's operation."""

from balcao.core.http.operations import SMALL_BODY
from balcao.registry.routes import ROUTES

# These routes respond while the registry is in maintenance, and have their own rate limit. So an operator can always
# end the maintenance or reset a limit (rules: registry 4.16).
OPERATION_ROUTES = ROUTES.extend(tags=["operation"], body_limit=SMALL_BODY, rate="10/second", in_maintenance=True)
