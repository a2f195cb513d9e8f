"""All areas of the panel, in the order of the navigation: the one place that names them."""

from balcao.console.access import AREA as ACCESS
from balcao.console.agents import AREA as AGENTS
from balcao.console.catalogue import AREA as CATALOGUE
from balcao.console.citizen import AREA as CITIZEN
from balcao.console.counter import AREA as COUNTER
from balcao.console.declaration import Area, Page
from balcao.console.health_units import AREA as HEALTH_UNITS
from balcao.console.home import AREA as HOME
from balcao.console.jobs import AREA as JOBS
from balcao.console.operation import AREA as OPERATION
from balcao.console.privacy import AREA as PRIVACY

AREAS: tuple[Area, ...] = tuple(
    sorted(
        (ACCESS, AGENTS, CATALOGUE, CITIZEN, COUNTER, HEALTH_UNITS, HOME, JOBS, OPERATION, PRIVACY),
        key=lambda area: area.order,
    )
)
PAGES: dict[str, Page] = {f"{page.method} {page.name}": page for area in AREAS for page in area.pages.declared}
