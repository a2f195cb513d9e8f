"""Which slug a service answers to: computed from its name, never given to another (rules: search 4.3)."""

from typing import TypedDict

from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict
from balcao.search.document import Document
from balcao.search.services import store

# Of the id: the usual part, the part after a collision, and the whole, which no other service has.
_ID_LENGTHS = (8, 13, 36)


class Slugs(TypedDict):
    slug: str
    slug_history: list[str]


async def claim(connection: Connection, service_id: str, name: str, before: Document | None) -> Slugs:
    """Recomputed only when the name changed; the former one stays the service's and goes to its history."""
    if before is not None and before.nome_servico == name:
        return Slugs(slug=before.slug, slug_history=before.slug_history)
    slug = await _free(connection, service_id, name)
    former = [*before.slug_history, before.slug] if before else await store.former_slugs(connection, service_id)
    return Slugs(slug=slug, slug_history=[old for old in former if old != slug])


async def _free(connection: Connection, service_id: str, name: str) -> str:
    await store.release_slug(connection, service_id)
    for length in _ID_LENGTHS:
        slug = await store.slug_of(connection, name, service_id, length)
        if await store.claim_slug(connection, slug, service_id):
            return slug
    raise Conflict("O nome do serviço leva a um endereço que já existe.", code="slug-taken")
