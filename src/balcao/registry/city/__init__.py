"""The city itself: departments, activities, companies."""

from balcao.registry.city.activities.feature import FEATURE as ACTIVITIES
from balcao.registry.city.companies.feature import FEATURE as COMPANIES
from balcao.registry.city.departments.feature import FEATURE as DEPARTMENTS
from balcao.registry.city.health.feature import FEATURE as HEALTH
from balcao.registry.city.staff_departments.feature import FEATURE as STAFF_DEPARTMENTS

FEATURES = (DEPARTMENTS, STAFF_DEPARTMENTS, ACTIVITIES, COMPANIES, HEALTH)
