"""Mapping the endpoints of the city's other applications to actions."""

from balcao.access.catalogue.events import Event, author
from balcao.access.catalogue.service import writing
from balcao.access.mappings import store
from balcao.core.context.call import Call
from balcao.core.errors import Conflict


async def create_mapping(call: Call, method: str, path_pattern: str, action_id: int, description: str) -> int:
    """Answers the catalogue version. Raises Conflict when the same method and shape is mapped."""
    async with writing(call, Event("mapping.create", "mapping", name=f"{method} {path_pattern}")) as write:
        made = await store.insert(write.connection, method, path_pattern, action_id, description, author(call))
        if made is None:
            raise Conflict("Já existe um mapeamento com esse método e essa forma de caminho.", code="mapping-exists")
        after = {"method": method, "path_pattern": path_pattern, "action_id": action_id, "description": description}
        write.record(Event("mapping.create", "mapping", str(made), f"{method} {path_pattern}", after=after))
    return write.version
