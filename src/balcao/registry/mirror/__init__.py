"""What citizen, staff and CRM say of a person, and what is still to be sent to the CRM."""

from balcao.registry.mirror.feature import FEATURE

FEATURES = (FEATURE,)
