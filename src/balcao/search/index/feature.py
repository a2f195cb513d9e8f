"""The search index, and the list of changes that keeps it current."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

FEATURE = Feature(exports=Exports(derived=("search.index_changes",)))
