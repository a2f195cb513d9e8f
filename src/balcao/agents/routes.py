"""The common settings of the service's routes, which each feature extends."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=DETAIL)
