"""The readiness of the search (rules: search 2.3)."""

from collections.abc import Mapping

from balcao.core.context.platform import Platform
from balcao.search.collection.service import check_collection
from balcao.search.index.public_index import check_index


async def check_readiness(platform: Platform) -> Mapping[str, bool]:
    """Return whether this program supports the collection, and whether there is an index.

    The first call also starts to build the index.
    """
    return {**await check_collection(platform), **await check_index(platform)}
