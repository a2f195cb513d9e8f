"""Binds endpoints to actions: the platform's operations, and the endpoints of the city's other applications."""

from typing import Any, NamedTuple

import msgspec

from balcao.access.catalogue import authority
from balcao.access.catalogue.events import CatalogueEvent, Rows, mask_author
from balcao.access.catalogue.service import (
    CatalogueWrite,
    make_once,
    write_catalogue,
)
from balcao.access.catalogue.store import write_planned_rows
from balcao.access.mappings import planned_store, rules, store
from balcao.access.mappings.patterns import erase_parameter_names
from balcao.access.mappings.schemas import DecidingMapping, DecidingQuery, Mapping, MappingChange
from balcao.core.access.paths import REST, is_wild, split_pattern
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection, Source
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.etags import require_match
from balcao.core.values.ids import MAX_INT64
from balcao.core.values.ready import Ready


async def find_deciding_mapping(call: Call, query: DecidingQuery) -> DecidingMapping | None:
    """Return the mapping that decides on a request, which is the most specific match, or None if nothing matches."""
    match = call.platform.catalogue.snapshot.match(query.method, query.path)
    if match is None:
        return None
    found = await store.select_mapping(call.platform.database, match.mapping.id)
    if found is None:  # the mapping was deleted after the snapshot was read
        return None
    mapping = found.mapping
    return DecidingMapping(mapping.id, mapping.action, mapping.path_pattern, mapping.method, mapping.description)


class ProposedMapping(NamedTuple):
    """A mapping that is not stored yet. Its id is 0, which no stored mapping has."""

    id: int
    method: str
    path_pattern: str
    action_id: int
    operation: str | None = None


class SavedMapping(msgspec.Struct):
    """A stored mapping, and the catalogue version that contains it."""

    mapping: Mapping
    version: int


async def create_mapping(
    call: Call, method: str, path_pattern: str, action_id: int, description: str | None
) -> SavedMapping:
    """Map an endpoint of another application to an action.

    Raises NotFound for an unknown action, Conflict for a pattern that is taken, ambiguous or within the platform's own
    paths (rules: access 3.5), and the errors of `make_once`.
    """
    attempt = CatalogueEvent("mapping.create", "mapping", name=f"{method} {path_pattern}")
    async with write_catalogue(call, attempt) as write:

        async def insert() -> Mapping:
            await _find_action(write.connection, action_id)
            await _check_place(write.connection, ProposedMapping(0, method, path_pattern, action_id))
            made = await store.insert_mapping(
                write.connection, method, path_pattern, action_id, description, mask_author(call)
            )
            mapping = (await _find(write.connection, made)).mapping
            write.record(CatalogueEvent("mapping.create", "mapping", str(made), attempt.name, after=_describe(mapping)))
            return mapping

        mapping = await make_once(call, write, Mapping, [method, path_pattern, action_id, description], insert)
    return SavedMapping(mapping, write.version)


async def read_mapping(call: Call, mapping_id: int) -> Mapping:
    """Return a mapping. Raises NotFound if no mapping has this id."""
    return (await _find(call.platform.database, mapping_id)).mapping


async def update_mapping(call: Call, mapping_id: int, change: MappingChange) -> SavedMapping:
    """Change a mapping. If nothing differs, nothing is written.

    Raises (rules: access 4.1):

    - NotFound for an unknown mapping or action
    - PreconditionFailed if `If-Match` does not match
    - Conflict if the path or method of a platform operation would change, if the new path and method are taken,
      ambiguous or within the platform's own paths, or if the binding is less strict than the operation's code allows
    - Forbidden if a caller other than a superadmin makes an operation less restricted
    """
    async with write_catalogue(call, CatalogueEvent("mapping.update", "mapping", str(mapping_id))) as write:
        found = await _find(write.connection, mapping_id)
        present = found.mapping
        require_match(call.if_match, Ready.of(present).etag)
        mapping = msgspec.structs.replace(
            present,
            path_pattern=change.path_pattern or present.path_pattern,
            method=change.method.value if change.method else present.method,
            action_id=change.action_id or present.action_id,
            description=change.description or present.description,
        )
        action = await _find_action(write.connection, mapping.action_id)
        await _check_change(write.connection, call, found, mapping, action)
        if mapping != present:
            await store.update_mapping(write.connection, mapping)
            mapping = (await _find(write.connection, mapping_id)).mapping
            name = f"{mapping.method} {mapping.path_pattern}"
            before, after = _describe(present), _describe(mapping)
            write.record(CatalogueEvent("mapping.update", "mapping", str(mapping_id), name, before=before, after=after))
    return SavedMapping(mapping, write.version)


async def _check_change(
    connection: Connection, call: Call, found: store.FoundMapping, wanted: Mapping, action: store.FoundAction
) -> None:
    moved = (wanted.method, wanted.path_pattern) != (found.mapping.method, found.mapping.path_pattern)
    rebound = wanted.action_id != found.mapping.action_id
    if found.is_system:
        if moved:
            raise Conflict("Método e caminho das operações da plataforma não mudam.", code="mapping-system")
        if rebound:
            held = await authority.read_held_rights(connection, call)
            rules.check_floor(found.floor, found.declared, found.code_key, action.code_key, held)
    elif moved or rebound:
        await _check_place(connection, wanted)


async def _check_place(connection: Connection, wanted: ProposedMapping | Mapping) -> None:
    method, pattern = wanted.method, wanted.path_pattern
    same = await store.find_mapping_of_shape(connection, method, erase_parameter_names(pattern))
    first: str | None = split_pattern(pattern)[0]
    if first is not None and (is_wild(first) or first == REST):
        first = None
    others = await store.list_pattern_candidates(connection, method, first)
    of_get = await store.list_pattern_candidates(connection, "GET", first) if method == "HEAD" else []
    rules.check_conflicts(wanted, same, others, of_get)


async def delete_mapping(call: Call, mapping_id: int) -> int:
    """Delete a mapping and return the catalogue version.

    Raises NotFound for an unknown mapping, and Conflict for a mapping of a platform operation.
    """
    async with write_catalogue(call, CatalogueEvent("mapping.delete", "mapping", str(mapping_id))) as write:
        found = await _find(write.connection, mapping_id)
        if found.is_system:
            raise Conflict("O mapeamento de uma operação da plataforma não pode ser excluído.", code="mapping-system")
        await store.delete_mapping(write.connection, mapping_id)
        name = f"{found.mapping.method} {found.mapping.path_pattern}"
        before = _describe(found.mapping)
        write.record(CatalogueEvent("mapping.delete", "mapping", str(mapping_id), name, before=before))
    return write.version


async def delete_some_mappings_of_action(write: CatalogueWrite, action_id: int, kept: int) -> bool:
    """Delete a batch of an action's custom mappings, but leave the first `kept`. The action will be deleted later.

    Return whether a mapping was deleted.
    """
    gone = await store.delete_mappings_beyond(write.connection, action_id, kept)
    for mapping in gone:
        name = f"{mapping.method} {mapping.path_pattern}"
        before = _describe(mapping)
        write.record(CatalogueEvent("mapping.delete", "mapping", str(mapping.id), name, before=before))
    return bool(gone)


async def _find(source: Source, mapping_id: int) -> store.FoundMapping:
    """Return the mapping. Raises NotFound for an unknown id, even if the id does not fit into a bigint."""
    found = await store.select_mapping(source, mapping_id) if 0 < mapping_id <= MAX_INT64 else None
    if found is None:
        raise NotFound("Não há mapeamento com esse id.")
    return found


async def _find_action(connection: Connection, action_id: int) -> store.FoundAction:
    action = await store.find_bound_action(connection, action_id)
    if action is None:
        raise NotFound("Não há ação com esse id.")
    return action


def _describe(mapping: Mapping) -> dict[str, Any]:
    return {name: getattr(mapping, name) for name in ("method", "path_pattern", "action_id", "action", "description")}


async def write_planned_mappings(connection: Connection, operation: str, rows: Rows, author: str | None) -> None:
    """Write a plan's rows for this operation, in the plan's transaction.

    All rules were already checked for the plan.
    """
    await write_planned_rows(connection, planned_store.STATEMENTS[operation], rows, author)


async def delete_mappings_of_actions(connection: Connection, rows: Rows) -> None:
    """Delete the custom and retired mappings of actions that a plan deletes, in the plan's transaction."""
    await write_planned_rows(connection, [planned_store.delete_mappings_of_planned_actions], rows, None)
