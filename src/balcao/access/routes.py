"""What the routes of the access administration have in common; each feature extends them."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

# Two short texts fit many times over.
MAX_BODY_BYTES = 256 * 1024

ROUTES = Routes(tags=["acessos"], dialect=DETAIL, body_limit=MAX_BODY_BYTES)
