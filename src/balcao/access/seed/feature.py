"""The catalogue's seed data."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(exports=Exports(tables=("access.shipped_once",)))
