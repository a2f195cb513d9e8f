"""Which slug leads to a service: computed from its name, never given to another (rules: search 4.3)."""

from typing import TypedDict

from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict
from balcao.search.document import ServiceDocument
from balcao.search.services import store

# Of the id: the usual part, the part after a collision, and the whole, which no other service has.
_ID_LENGTHS = (8, 13, 36)


class Slugs(TypedDict):
    slug: str
    slug_history: list[str]


async def claim_slug(connection: Connection, service_id: str, name: str, before: ServiceDocument | None) -> Slugs:
    """Return slug and history, computed anew only when the name changed.

    The former slug stays the service's and goes to its history. Raises Conflict.
    """
    if before is not None and before.nome_servico == name:
        return Slugs(slug=before.slug, slug_history=before.slug_history)
    slug = await _claim_free(connection, service_id, name)
    former = [*before.slug_history, before.slug] if before else await store.list_former_slugs(connection, service_id)
    return Slugs(slug=slug, slug_history=[old for old in former if old != slug])


async def _claim_free(connection: Connection, service_id: str, name: str) -> str:
    await store.release_slug(connection, service_id)
    for length in _ID_LENGTHS:
        slug = await store.compute_slug(connection, name, service_id, length)
        if await store.claim_slug(connection, slug, service_id):
            return slug
    raise Conflict("O nome do serviço leva a um endereço que já existe.", code="slug-taken")
