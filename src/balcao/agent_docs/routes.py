"""The settings that all of the service's routes share."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=DETAIL)
