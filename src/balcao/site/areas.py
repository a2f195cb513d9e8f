"""All areas of the site in the order of the menu. No other module lists them."""

from balcao.site.declaration import Area
from balcao.site.departments import AREA as DEPARTMENTS
from balcao.site.health import AREA as HEALTH
from balcao.site.help import AREA as HELP
from balcao.site.home import AREA as HOME
from balcao.site.jobs import AREA as JOBS
from balcao.site.requests import AREA as REQUESTS
from balcao.site.search import AREA as SEARCH
from balcao.site.seo import AREA as SEO
from balcao.site.services import AREA as SERVICES

AREAS: tuple[Area, ...] = (HOME, SERVICES, REQUESTS, JOBS, HEALTH, SEARCH, DEPARTMENTS, HELP, SEO)
