"""The settings that all of the registry's routes share. Each feature extends them."""

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.operations import Routes

ROUTES = Routes(dialect=ERROR_TEXT)
