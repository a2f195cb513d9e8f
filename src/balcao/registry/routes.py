"""The common settings of the registry's routes. Each feature extends these settings."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=ERROR_TEXT)
