"""The seed data of the catalogue."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(exports=Exports(tables=("access.shipped_once",)))
