"""The settings shared by all routes of the service. Each feature extends `ROUTES`."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

# The rate limits: one for a person, and one for a portal or panel that calls for many people (rules: health_units 5).
ROUTES = Routes(dialect=DETAIL, rate="50/second", machine_rate="500/second")
