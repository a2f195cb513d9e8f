"""What the routes of the agent configuration have in common; each feature extends them."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=DETAIL)
