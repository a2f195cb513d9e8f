"""SQL that reads single published services by id or slug."""

import msgspec

from balcao.core.database.pool import Connection
from balcao.search.catalogue.schemas import PublishedService
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION

_PUBLISHED = "search.{physical} AS service, search.step(service.id, service.doc, service.carried, $2, $3) AS stepped"
_BY_ID = f"SELECT stepped.doc::text FROM {_PUBLISHED} WHERE service.id = $1 AND service.status = 1"


async def read_by_id(connection: Connection, alias: Alias, service_id: str) -> PublishedService | None:
    """Return a published service, or None."""
    statement = _BY_ID.format(physical=alias.physical)
    doc = await connection.fetchval(statement, service_id, alias.schema_version, PROGRAM_VERSION)
    return None if doc is None else msgspec.json.decode(doc, type=PublishedService)


_BY_SLUG = f"""
SELECT stepped.doc::text FROM search.service_slugs AS known, {_PUBLISHED}
WHERE known.slug = $1 AND service.id = known.service_id AND service.status = 1
"""


async def read_by_slug(connection: Connection, alias: Alias, slug: str) -> PublishedService | None:
    """Return the published service that has or had this slug, or None."""
    statement = _BY_SLUG.format(physical=alias.physical)
    doc = await connection.fetchval(statement, slug, alias.schema_version, PROGRAM_VERSION)
    return None if doc is None else msgspec.json.decode(doc, type=PublishedService)
