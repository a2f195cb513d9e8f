"""All areas of the panel, in the order of the navigation: the one place that names them."""

from balcao.console.catalogue import AREA as CATALOGUE
from balcao.console.declaration import Area, Page
from balcao.console.health_units import AREA as HEALTH_UNITS
from balcao.console.home import AREA as HOME
from balcao.console.jobs import AREA as JOBS
from balcao.console.operation import AREA as OPERATION

AREAS: tuple[Area, ...] = tuple(sorted((HOME, CATALOGUE, HEALTH_UNITS, JOBS, OPERATION), key=lambda area: area.order))
PAGES: dict[str, Page] = {f"{page.method} {page.name}": page for area in AREAS for page in area.pages.declared}
