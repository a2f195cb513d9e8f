"""What the operations on the platform's own operation have in common."""

from balcao.core.http.operations import SMALL_BODY
from balcao.registry.routes import ROUTES

# They answer while the registry is in maintenance, and at a rate of their own: who ends the maintenance, or puts a
# limit back, gets through (rules: registry 4.16).
OPERATION_ROUTES = ROUTES.extend(tags=["operation"], body_limit=SMALL_BODY, rate="10/second", in_maintenance=True)
