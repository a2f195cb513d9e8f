"""The collection: the table of services behind every operation of the search."""

from balcao.core.feature import Feature
from balcao.search.collection import store

FEATURE = Feature(exports=store.EXPORTS)
