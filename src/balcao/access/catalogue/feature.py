"""The catalogue as a whole: its lock, its versions and its history."""

from balcao.access.catalogue.retention import RETENTION
from balcao.core.feature import Feature

FEATURE = Feature(retention=RETENTION)
