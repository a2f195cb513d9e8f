"""The settings shared by all routes of the service. Each feature extends `ROUTES`."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

# Most bodies contain a few short texts. The largest contain a group's attributes.
MAX_BODY_BYTES = 256 * 1024

ROUTES = Routes(tags=["acessos"], dialect=DETAIL, body_limit=MAX_BODY_BYTES)
