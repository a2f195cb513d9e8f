"""The mirror: a person's data as declared by the citizen, staff and the CRM, and the changes to push to the CRM."""

from balcao.registry.mirror.feature import FEATURE

FEATURES = (FEATURE,)
