"""The settings shared by all routes of the service. Each feature extends `ROUTES`."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=ERROR_TEXT)
