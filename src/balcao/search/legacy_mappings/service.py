"""Mappings from numbers in old systems to services. Staff edit them, or create one when they publish a service."""

from collections.abc import Mapping
from typing import NamedTuple

from balcao.core.context.audit import guard_audit_write
from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.ids import is_uuid, new_id
from balcao.core.values.text import clean_optional, clean_text, has_control
from balcao.search.conventions import (
    describe_event,
    make_fault,
    name_actor,
    parse_uuid_parameter,
    read_parameter,
    require_parameter,
    require_present_match,
)
from balcao.search.legacy_mappings import store
from balcao.search.legacy_mappings.schemas import LegacyMapping, LegacyMappingBody, LegacyMappings, MappingTaken

UNKNOWN = "Tombamento não encontrado."
LONGEST_ID = 200
LONGEST_NOTES = 20_000


class OldService(NamedTuple):
    """The number of a service in an old system, with the staff's notes."""

    origem: str
    old_id: str
    notes: str | None = None


async def create_legacy_mapping(call: Call, body: LegacyMappingBody, *, mapping_id: str | None = None) -> LegacyMapping:
    """Map an old number to a service. Seed data sets `mapping_id`.

    Raises Invalid for a bad member or an unknown old system, NotFound if the service does not exist, and MappingTaken
    if the number is already mapped.
    """
    old, service_id = _check_body(body)
    async with call.platform.database.transaction() as connection:
        return await _make(connection, call, old, service_id, mapping_id)


async def create_mapping_once(call: Call, body: LegacyMappingBody) -> bytes:
    """Do the same as `create_legacy_mapping`, but only once for each `Idempotency-Key`, and return JSON."""
    old, service_id = _check_body(body)
    async with call.platform.database.transaction() as connection:
        return await run_once(connection, call, None, [body], lambda: _make(connection, call, old, service_id))


async def _make(
    connection: Connection, call: Call, old: OldService, service_id: str, mapping_id: str | None = None
) -> LegacyMapping:
    await _require_source(connection, old.origem)
    made = await _insert(connection, call, old, service_id, mapping_id)
    if made is None:
        raise MappingTaken(await _find_taken(connection, old))
    return made


async def map_with_publication(connection: Connection, call: Call, old: OldService, service_id: str) -> None:
    """Map an old number to a service that is being published. Keep a mapping that already exists.

    Raises Invalid for an unknown old system, and MappingTaken if the number is mapped to another service.
    """
    await _require_source(connection, old.origem)
    if await _insert(connection, call, old, service_id) is None:
        existing = await _find_taken(connection, old)
        if existing.id_servico_novo != service_id:
            raise MappingTaken(existing)


async def _insert(
    connection: Connection, call: Call, old: OldService, service_id: str, mapping_id: str | None = None
) -> LegacyMapping | None:
    """Insert a mapping. Return None if the number already has one. Raises NotFound if the service does not exist."""
    mapping = store.NewMapping(
        id=mapping_id or new_id(),
        origem=old.origem,
        id_servico_antigo=old.old_id,
        id_servico_novo=service_id,
        criado_em=utc_now(),
        criado_por=name_actor(call),
        observacoes=old.notes,
    )
    fields = describe_event(mapping=mapping.id, service=service_id)
    with guard_audit_write():
        written = await store.insert_legacy_mapping(
            connection, mapping, call.platform.audit.encode_event(call, "create", fields=fields)
        )
    if not written.is_alive:
        raise _unknown_service()
    return written.mapping


async def _find_taken(connection: Connection, old: OldService) -> LegacyMapping:
    existing = await store.find_legacy_mapping(connection, old.origem, old.old_id)
    if existing is None:  # removed in the meantime; a retry creates it
        raise NotFound(UNKNOWN)
    return existing


async def list_legacy_mappings(call: Call, query: Mapping[str, str], page: int, per_page: int) -> LegacyMappings:
    """Return a page of the mappings, newest first. Raises Invalid for an unknown old system."""
    origem, author, service_id = (read_parameter(query, name) for name in ("origem", "criado_por", "id_servico_novo"))
    async with call.platform.database.connection() as connection:
        if origem is not None:
            await _require_source(connection, origem)
        if has_control(f"{author or ''}{service_id or ''}"):
            author, service_id = None, ""  # an empty id matches nothing
        found, out_of, entries = await store.list_legacy_mappings(
            connection, origem, author, service_id, (page - 1) * per_page, per_page
        )
    return LegacyMappings(found, out_of, page, per_page, entries)


async def find_by_old_service(call: Call, query: Mapping[str, str]) -> LegacyMapping:
    """Return the mapping of an old number.

    Raises Invalid for an unknown old system, and NotFound if there is no mapping.
    """
    origem, old_id = require_parameter(query, "origem"), require_parameter(query, "id_servico_antigo")
    async with call.platform.database.connection() as connection:
        await _require_source(connection, origem)
        found = None if has_control(old_id) else await store.find_legacy_mapping(connection, origem, old_id)
    if found is None:
        raise NotFound(UNKNOWN)
    return found


async def find_target(connection: Connection, origem: str, old_id: str) -> str | None:
    """Return the id of the service for an old number, or None if the number is not mapped."""
    if has_control(origem + old_id):
        return None
    found = await store.find_legacy_mapping(connection, origem, old_id)
    return found.id_servico_novo if found else None


async def read_legacy_mapping(call: Call, mapping_id: str) -> LegacyMapping:
    """Return a mapping. Raises NotFound if it does not exist."""
    known = parse_uuid_parameter(mapping_id, UNKNOWN)
    found = await store.select_legacy_mapping(call.platform.database, known)
    if found is None:
        raise NotFound(UNKNOWN)
    return found


async def update_legacy_mapping(call: Call, mapping_id: str, body: LegacyMappingBody) -> LegacyMapping:
    """Change a mapping. The audit event names the former and the new service.

    Raises Invalid for a bad member, NotFound if the mapping or the service does not exist, PreconditionFailed if
    `If-Match` does not match, and MappingTaken if another mapping has the number.
    """
    old, service_id = _check_body(body)
    known = parse_uuid_parameter(mapping_id, UNKNOWN)
    async with call.platform.database.transaction() as connection:
        await _require_source(connection, old.origem)
        # Lock order: the service before the mapping. Deleting a service locks its head before it deletes its mappings.
        is_alive = await store.lock_target_service(connection, service_id)
        former = await store.lock_mapping(connection, known)
        if former is None:
            raise NotFound(UNKNOWN)
        if not is_alive:
            raise _unknown_service()
        require_present_match(call, former)
        changed = await store.update_legacy_mapping(connection, known, old.origem, old.old_id, service_id, old.notes)
        if changed is None:
            raise MappingTaken(await _find_taken(connection, old))
        fields = describe_event(mapping=known, former=former.id_servico_novo, service=service_id)
        await call.platform.audit.record(connection, call, "update", fields=fields)
    return changed


async def delete_legacy_mapping(call: Call, mapping_id: str) -> None:
    """Remove a mapping. Raises NotFound if it does not exist, and PreconditionFailed if `If-Match` does not match."""
    known = parse_uuid_parameter(mapping_id, UNKNOWN)
    trail = call.platform.audit.encode_event(call, "delete", fields=describe_event(mapping=known))
    async with call.platform.database.transaction() as connection:
        if call.if_match is not None and (present := await store.lock_mapping(connection, known)) is not None:
            require_present_match(call, present)
        with guard_audit_write():
            if not await store.delete_legacy_mapping(connection, known, trail):
                raise NotFound(UNKNOWN)


async def enter_sources(platform: Platform) -> None:
    """Store the old systems from the setting `BALCAO_LEGACY_SOURCES`."""
    if names := platform.settings.legacy_source_names:
        async with platform.database.connection() as connection:
            await store.insert_legacy_sources(connection, names)


def parse_publication(query: Mapping[str, str]) -> OldService | None:
    """Return the old number to map when the service is published, or None.

    Raises Invalid if the query contains only one of the two parameters.
    """
    origem, old_id, notes = (read_parameter(query, name) for name in ("origem", "id_servico_antigo", "observacoes"))
    if origem is None and old_id is None:
        return None
    if origem is None or old_id is None:
        raise Invalid("Envie `origem` e `id_servico_antigo` juntos.", code="legacy-pair-incomplete")
    return _check_old(origem, old_id, notes)


def _check_body(body: LegacyMappingBody) -> tuple[OldService, str]:
    old = _check_old(body.origem, body.id_servico_antigo, body.observacoes)
    if not is_uuid(body.id_servico_novo):
        raise make_fault("id_servico_novo", "um UUID")
    return old, body.id_servico_novo.lower()


def _check_old(origem: str, old_id: str, notes: str | None) -> OldService:
    return OldService(
        origem,
        clean_text("id_servico_antigo", old_id, longest=LONGEST_ID),
        clean_optional("observacoes", notes, longest=LONGEST_NOTES, one_line=False),
    )


async def _require_source(connection: Connection, name: str) -> None:
    known = await store.list_legacy_sources(connection)
    if name not in known:
        raise make_fault("origem", f"um de: {', '.join(known)}")


def _unknown_service() -> NotFound:
    return NotFound("O serviço de `id_servico_novo` não existe.", code="legacy-target-unknown")
