"""Published services as everybody reads them: drafts and deleted ones are unknown here."""

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.values.text import has_control
from balcao.search.catalogue import store
from balcao.search.catalogue.schemas import Moved
from balcao.search.collection.store import read_alias
from balcao.search.conventions import parse_uuid_parameter
from balcao.search.legacy_mappings import service as legacy_mappings
from balcao.search.popularity import service as popularity
from balcao.search.public import PublicService
from balcao.search.public_search.parameters import LONGEST_QUERY
from balcao.search.public_search.query import fold_query
from balcao.search.zero_results import service as zero_results

UNKNOWN = "Serviço não encontrado."
_MOVED = "O serviço mudou de endereço."


async def read_published_service(call: Call, service_id: str, asked: str | None = None) -> PublicService:
    """Return a published service. `asked` is the query from which the citizen came. Raises NotFound."""
    known = parse_uuid_parameter(service_id, UNKNOWN)
    async with call.reader.connection() as connection:
        found = _require(await store.read_by_id(connection, await read_alias(connection), known))
    _count_opening(call, found, asked)
    return found


async def read_by_slug(call: Call, slug: str, asked: str | None = None) -> PublicService | Moved:
    """Return the published service of this address, or where it is now. Raises NotFound.

    `asked` is the query from which the citizen came.
    """
    if has_control(slug):
        raise NotFound(UNKNOWN)
    async with call.reader.connection() as connection:
        found = _require(await store.read_by_slug(connection, await read_alias(connection), slug))
    if found.slug != slug:
        return _describe_move(found, slug, found.slug)
    _count_opening(call, found, asked)
    return found


async def find_by_old_number(call: Call, origem: str, old_id: str) -> Moved:
    """Return where the service of an old system's number is. Raises NotFound, also for one that is not published."""
    async with call.reader.connection() as connection:
        service_id = await legacy_mappings.find_target(connection, origem, old_id)
        if service_id is None:
            raise NotFound(UNKNOWN)
        found = _require(await store.read_by_id(connection, await read_alias(connection), service_id))
    # Relative to `services/by-legacy/<origem>/<id>`, so that it resolves under every prefix.
    return _describe_move(found, None, f"../../{found.slug}")


def _count_opening(call: Call, found: PublicService, asked: str | None) -> None:
    """Count a read of a service, and the opening from the results of a query. A query that is too long is ignored."""
    popularity.count_view(call.platform, found.id)
    if asked is not None and len(asked) <= LONGEST_QUERY:
        zero_results.note_opening(call.platform, asked, fold_query(asked))


def _require(found: PublicService | None) -> PublicService:
    if found is None:
        raise NotFound(UNKNOWN)
    return found


def _describe_move(service: PublicService, old_slug: str | None, location: str) -> Moved:
    return Moved(service.id, service.slug, old_slug, location, service.nome_servico, _MOVED)
