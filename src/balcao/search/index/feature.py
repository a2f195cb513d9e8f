"""The search index, and the list of changes that keeps it current."""

from balcao.core.exports.declaration import Exports
from balcao.core.feature import Feature

# `known_words` belonged to the search in PostgreSQL. The previous release still fills it.
FEATURE = Feature(exports=Exports(derived=("search.index_changes", "search.known_words")))
