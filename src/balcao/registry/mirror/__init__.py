"""What citizen, staff and CRM say of a person, and what the CRM is still to be told."""

from balcao.registry.mirror.feature import FEATURE

FEATURES = (FEATURE,)
