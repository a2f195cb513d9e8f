"""The shared base of the agent API description's routes."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=DETAIL)
