"""Mapping the endpoints of the city's other applications to actions."""

from balcao.access.catalogue.events import CatalogueEvent, mask_author
from balcao.access.catalogue.service import write_catalogue
from balcao.access.mappings import store
from balcao.core.context.call import Call
from balcao.core.errors import Conflict


async def create_mapping(call: Call, method: str, path_pattern: str, action_id: int, description: str) -> int:
    """Map an endpoint to an action and return the catalogue version.

    Raises Conflict when the same method and path shape is mapped.
    """
    async with write_catalogue(
        call, CatalogueEvent("mapping.create", "mapping", name=f"{method} {path_pattern}")
    ) as write:
        made = await store.insert(write.connection, method, path_pattern, action_id, description, mask_author(call))
        if made is None:
            raise Conflict("Já existe um mapeamento com esse método e essa forma de caminho.", code="mapping-exists")
        after = {"method": method, "path_pattern": path_pattern, "action_id": action_id, "description": description}
        write.record(CatalogueEvent("mapping.create", "mapping", str(made), f"{method} {path_pattern}", after=after))
    return write.version
