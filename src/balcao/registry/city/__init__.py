"""The city itself: departments, activities and companies."""

from balcao.registry.city.activities.api import FEATURE as ACTIVITIES
from balcao.registry.city.companies.api import FEATURE as COMPANIES
from balcao.registry.city.departments.api import FEATURE as DEPARTMENTS
from balcao.registry.city.health.api import FEATURE as HEALTH
from balcao.registry.city.staff_departments.api import FEATURE as STAFF_DEPARTMENTS

FEATURES = (DEPARTMENTS, STAFF_DEPARTMENTS, ACTIVITIES, COMPANIES, HEALTH)
