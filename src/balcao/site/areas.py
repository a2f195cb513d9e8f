"""All areas of the site in the order of the menu. No other module lists them."""

from balcao.site.declaration import Area
from balcao.site.departments import AREA as DEPARTMENTS
from balcao.site.home import AREA as HOME
from balcao.site.search import AREA as SEARCH
from balcao.site.seo import AREA as SEO
from balcao.site.services import AREA as SERVICES

AREAS: tuple[Area, ...] = (HOME, SERVICES, SEARCH, DEPARTMENTS, SEO)
