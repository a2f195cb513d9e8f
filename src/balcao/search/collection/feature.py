"""The collection: the table of services on which all operations of the search work."""

from balcao.core.feature import Feature
from balcao.search.collection import store

FEATURE = Feature(exports=store.EXPORTS)
