"""The common part of the routes of the access administration. Each feature extends it."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

# The largest bodies contain two short texts and need much less.
MAX_BODY_BYTES = 256 * 1024

ROUTES = Routes(tags=["acessos"], dialect=DETAIL, body_limit=MAX_BODY_BYTES)
