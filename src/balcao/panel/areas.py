"""All areas of the panel in the order of the navigation. No other module lists them."""

from balcao.panel.access import AREA as ACCESS
from balcao.panel.agents import AREA as AGENTS
from balcao.panel.catalogue import AREA as CATALOGUE
from balcao.panel.citizen import AREA as CITIZEN
from balcao.panel.counter import AREA as COUNTER
from balcao.panel.declaration import Area, Page
from balcao.panel.health_units import AREA as HEALTH_UNITS
from balcao.panel.home import AREA as HOME
from balcao.panel.jobs import AREA as JOBS
from balcao.panel.operation import AREA as OPERATION
from balcao.panel.privacy import AREA as PRIVACY
from balcao.panel.requests import AREA as REQUESTS

AREAS: tuple[Area, ...] = tuple(
    sorted(
        (ACCESS, AGENTS, CATALOGUE, CITIZEN, COUNTER, HEALTH_UNITS, HOME, JOBS, OPERATION, PRIVACY, REQUESTS),
        key=lambda area: area.order,
    )
)
PAGES: dict[str, Page] = {f"{page.method} {page.name}": page for area in AREAS for page in area.pages.declared}
