"""The common settings of the routes of the agent configuration. Each feature extends `ROUTES`."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=DETAIL)
