"""The collection that searches run on."""

from balcao.core.feature import Feature
from balcao.search.collection import store

FEATURE = Feature(exports=store.EXPORTS)
