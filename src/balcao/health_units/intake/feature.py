"""What a department brings from its former system: units with their weeks, and notifications."""

from balcao.core.feature import Feature
from balcao.health_units.intake import notifications, units

FEATURE = Feature(imports=[units.IMPORT, notifications.IMPORT])
