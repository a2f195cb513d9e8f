"""The versions of services: adding versions within the transaction of a change, lists and comparisons."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec
from msgspec import UNSET

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection, json_text
from balcao.core.errors import Invalid, NotFound
from balcao.core.values.clock import to_unix_seconds
from balcao.core.values.ids import new_id
from balcao.search.conventions import (
    LARGEST_INTEGER,
    name_actor,
    parse_integer_parameter,
    parse_uuid_parameter,
    require_parameter,
)
from balcao.search.document import ServiceContent, ServiceDocument
from balcao.search.versions import store
from balcao.search.versions.comparison import COMPARED, list_differences
from balcao.search.versions.schemas import ChangeType, Comparison, ServiceVersion, VersionList

UNKNOWN = "Serviço não encontrado."

# The members that a version stores: the content, and the author, slug and searched text at that time.
SNAPSHOT = (*ServiceContent.__struct_fields__, "autor", "slug", "search_content")


@dataclass(frozen=True)
class VersionChange:
    """The kind and reason of a change.

    `rollback_to` is the number of the restored version. `proposed_by` is the author of the published proposal.
    """

    kind: ChangeType
    reason: str | None = None
    rollback_to: int | None = None
    proposed_by: str | None = None


class _Author(msgspec.Struct):
    autor: str


@dataclass(frozen=True)
class VersionAuthor:
    """The author of a version, with a masked CPF."""

    name: str
    subject: str
    masked_cpf: str | None

    @classmethod
    def of(cls, call: Call) -> "VersionAuthor":
        """Return the author of the changes that this call makes."""
        subject = call.caller.subject if call.caller else ""
        return cls(name_actor(call), subject, call.actor_cpf.masked if call.actor_cpf else None)


def encode_version(
    author: VersionAuthor, document: ServiceDocument, change: VersionChange, *, number: int, at: datetime
) -> str:
    """Encode a new version as jsonb text. `number` must be the next number of the locked head."""
    return json_text(
        store.NewVersion(
            id=new_id(),
            service_id=document.id,
            version_number=number,
            created_at=at,
            created_by=author.name,
            created_by_sub=author.subject,
            created_by_cpf=author.masked_cpf,
            change_type=change.kind,
            change_reason=change.reason,
            previous_version=number - 1 or None,
            rollback_to_version=change.rollback_to,
            proposed_by=change.proposed_by,
            snapshot={name: value for name in SNAPSHOT if (value := getattr(document, name)) is not UNSET},
        )
    )


async def read_snapshot(connection: Connection, service_id: str, number: int) -> ServiceContent | None:
    """Return the content of a version, or None if the version does not exist."""
    found = await store.select_snapshot(connection, service_id, number)
    return None if found is None else msgspec.json.decode(found, type=ServiceContent)


async def read_author(connection: Connection, service_id: str) -> str | None:
    """Return the author of the first version, or None if the service has no version yet."""
    first = await store.select_snapshot(connection, service_id, 1)
    return None if first is None else msgspec.json.decode(first, type=_Author).autor


async def list_service_versions(call: Call, service_id: str, page: int, per_page: int) -> VersionList:
    """Return a page of the versions of a service, which may have been deleted. Raises NotFound if it never existed."""
    known = parse_uuid_parameter(service_id, UNKNOWN)
    async with call.platform.database.connection() as connection:
        found = await store.list_service_versions(connection, known, COMPARED, (page - 1) * per_page, per_page)
    if found is None:
        raise NotFound(UNKNOWN)
    total, entries = found
    return VersionList(found=total, out_of=total, page=page, per_page=per_page, versions=entries)


async def read_service_version(call: Call, service_id: str, version: str) -> ServiceVersion:
    """Return a version with its content.

    Raises Invalid if `version` is not a number, and NotFound for an unknown service or version.
    """
    number = _parse_number("version", version)
    known = parse_uuid_parameter(service_id, UNKNOWN)
    async with call.platform.database.connection() as connection:
        found = await store.select_service_version(connection, known, COMPARED, number)
    if found is None:
        raise NotFound(UNKNOWN)
    if found.entry is None or found.snapshot is None:
        raise NotFound("O serviço não tem esta versão.", code="version-unknown")
    members = msgspec.json.decode(found.snapshot) | msgspec.structs.asdict(found.entry)
    return msgspec.convert(members, ServiceVersion)


async def compare_service_versions(call: Call, service_id: str, query: Mapping[str, str]) -> Comparison:
    """Compare two versions of a service, which may have been deleted.

    Raises Invalid for a bad query, and NotFound for an unknown service or version. The query is checked first.
    """
    from_version, to_version = (
        _parse_number(name, require_parameter(query, name)) for name in ("from_version", "to_version")
    )
    service_id = parse_uuid_parameter(service_id, UNKNOWN)
    pair = await store.read_version_pair(call.platform.database, service_id, from_version, to_version)
    if not pair.known:
        raise NotFound(UNKNOWN)
    old, new = _require_snapshot("from_version", pair.old), _require_snapshot("to_version", pair.new)
    return Comparison(
        change_type=pair.change_type or "",
        changed_at=to_unix_seconds(pair.changed_at),
        changed_by=pair.changed_by or "",
        from_version=from_version,
        to_version=to_version,
        changes=list_differences(msgspec.json.decode(old), msgspec.json.decode(new)),
    )


def _parse_number(name: str, text: str) -> int:
    number = parse_integer_parameter(text)
    if number is None:
        raise Invalid(f"O parâmetro `{name}` deve ser um inteiro de 1 a {LARGEST_INTEGER}.", code=f"{name}-invalid")
    return number


def _require_snapshot(name: str, snapshot: str | None) -> str:
    if snapshot is None:
        raise NotFound(f"A versão indicada em `{name}` não existe neste serviço.", code="version-unknown")
    return snapshot
