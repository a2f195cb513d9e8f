"""Public reads of single services, which never find drafts or deleted services."""

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.values.text import has_control
from balcao.search.catalogue import store
from balcao.search.catalogue.other_names import list_other_names
from balcao.search.catalogue.schemas import Moved, PublishedService
from balcao.search.collection.store import read_alias
from balcao.search.conventions import parse_uuid_parameter
from balcao.search.legacy_mappings import service as legacy_mappings
from balcao.search.phrases.store import select_phrases
from balcao.search.popularity import service as popularity
from balcao.search.public_search.parameters import LONGEST_QUERY
from balcao.search.public_search.query import fold_query
from balcao.search.public_search.service import find_synonyms
from balcao.search.zero_results import service as zero_results

UNKNOWN = "Serviço não encontrado."
_MOVED = "O serviço mudou de endereço."


async def read_published_service(
    call: Call, service_id: str, asked: str | None = None, *, with_names: bool = False
) -> PublishedService:
    """Return a published service. `asked` is the search that led to the service.

    Raises NotFound if no published service has this id.
    """
    known = parse_uuid_parameter(service_id, UNKNOWN)
    async with call.reader.connection() as connection:
        found = _require(await store.read_by_id(connection, await read_alias(connection), known))
    _count_opening(call, found, asked)
    return await _add_names(call, found) if with_names else found


async def find_published(call: Call, slug: str) -> PublishedService:
    """Return the published service that has or had this slug, without counting the view.

    Raises NotFound if there is no such service.
    """
    if has_control(slug):
        raise NotFound(UNKNOWN)
    async with call.reader.connection() as connection:
        return _require(await store.read_by_slug(connection, await read_alias(connection), slug))


async def read_by_slug(
    call: Call, slug: str, asked: str | None = None, *, with_names: bool = False
) -> PublishedService | Moved:
    """Return the published service with this slug. For a former slug, return the current address.

    `asked` is the search that led to the service. Raises NotFound if no published service has or had this slug.
    """
    found = await find_published(call, slug)
    if found.slug != slug:
        return _describe_move(found, slug, found.slug)
    _count_opening(call, found, asked)
    return await _add_names(call, found) if with_names else found


async def _add_names(call: Call, found: PublishedService) -> PublishedService:
    """Return the service with its other names."""
    said = await select_phrases(call.reader, found.id)
    phrases = [] if said is None else said.phrases
    found.tambem_conhecido_como = list_other_names(found.nome_servico, phrases, await find_synonyms(call.platform))
    return found


async def find_by_old_number(call: Call, origem: str, old_id: str) -> Moved:
    """Return the address of the service that replaces a number from an old system.

    Raises NotFound if the number is not mapped to a published service.
    """
    async with call.reader.connection() as connection:
        service_id = await legacy_mappings.find_target(connection, origem, old_id)
        if service_id is None:
            raise NotFound(UNKNOWN)
        found = _require(await store.read_by_id(connection, await read_alias(connection), service_id))
    # Relative to `services/by-legacy/<origem>/<id>`, so that the address works behind every path prefix.
    return _describe_move(found, None, f"../../{found.slug}")


def _count_opening(call: Call, found: PublishedService, asked: str | None) -> None:
    """Count a view of a service. If a search led to it, also count an opening from the search results.

    Ignore a query that is too long.
    """
    popularity.count_view(call.platform, found.id)
    if asked is not None and len(asked) <= LONGEST_QUERY:
        zero_results.note_opening(call.platform, asked, fold_query(asked))


def _require(found: PublishedService | None) -> PublishedService:
    if found is None:
        raise NotFound(UNKNOWN)
    return found


def _describe_move(service: PublishedService, old_slug: str | None, location: str) -> Moved:
    return Moved(service.id, service.slug, old_slug, location, service.nome_servico, _MOVED)
