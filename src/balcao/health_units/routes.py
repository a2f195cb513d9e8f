"""What the routes of the health-unit risk have in common; each feature extends them."""

from balcao.core.http.dialects import DETAIL
from balcao.core.http.operations import Routes

# The rates of one person, and of a portal or panel that calls for many (rules: health_units 5).
ROUTES = Routes(dialect=DETAIL, rate="50/second", machine_rate="500/second")
