"""The base of the service's routes. Each feature extends it."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=ERROR_TEXT)
