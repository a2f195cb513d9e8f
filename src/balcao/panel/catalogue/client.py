"""The API operations on services, versions and proposals. The types contain only the members that the pages use."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from balcao.web.api import Api, Read, quoted

_SERVICES = "/search/api/v1/admin/services"
PAGE_SIZE = 25
# The maximum page size of the service.
MOST_AT_ONCE = 100


def to_moment(seconds: int | None) -> datetime | None:
    """Convert Unix seconds from the service to a time. Return None for 0 or None."""
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


class Summary(msgspec.Struct):
    id: str
    nome_servico: str
    orgao_gestor: list[str]
    tema_geral: str
    sub_categoria: str | None
    status: int
    awaiting_approval: bool
    last_update: int
    version: int
    changed_by: str
    returned_reason: str | None
    proposals: int


class States(msgspec.Struct):
    in_edition: int
    awaiting_approval: int
    published: int


class Summaries(msgspec.Struct):
    found: int
    states: States
    awaiting_proposals: int
    services: list[Summary]


class Service(msgspec.Struct):
    """A service. `content` contains all members of the response, unchanged."""

    id: str
    nome_servico: str
    slug: str
    status: int
    awaiting_approval: bool
    published_at: int | None
    last_update: int
    version: int
    content: dict[str, Any] = msgspec.field(default_factory=dict)


class Version(msgspec.Struct):
    version_number: int
    created_at: int
    created_by: str
    change_type: str
    change_reason: str | None
    rollback_to_version: int | None
    proposed_by: str | None
    status: int
    changed_fields: list[str]
    awaiting_approval: bool


class Versions(msgspec.Struct):
    found: int
    versions: list[Version]


class FieldChange(msgspec.Struct):
    field_name: str
    old_value: Any
    new_value: Any


class Comparison(msgspec.Struct):
    changed_at: int
    changed_by: str
    changes: list[FieldChange]


class ProposalEntry(msgspec.Struct):
    id: str
    service_id: str
    nome_servico: str
    base_version: int
    outdated: bool
    awaiting_approval: bool
    change_reason: str | None
    changed_fields: list[str]
    created_by: str
    updated_at: int
    updated_by: str
    returned_by: str | None
    returned_reason: str | None


class Proposal(ProposalEntry):
    content: dict[str, Any]


class Proposals(msgspec.Struct):
    found: int
    proposals: list[ProposalEntry]


async def list_summaries(api: Api, query: Mapping[str, Any]) -> Summaries:
    return await api.get(f"{_SERVICES}/summaries", Summaries, query)


async def read_service(api: Api, service: str) -> Read[Service]:
    found = await api.read(f"{_SERVICES}/{quoted(service)}", dict[str, Any])
    return Read(_to_service(found.value), found.etag)


async def create_service(api: Api, body: Mapping[str, Any], key: str) -> Service:
    return await api.send("POST", _SERVICES, Service, body, key=key)


async def update_service(api: Api, service: str, body: Mapping[str, Any], etag: str) -> Service:
    return await api.send("PUT", f"{_SERVICES}/{quoted(service)}", Service, body, etag=etag)


async def publish_service(api: Api, service: str, etag: str) -> Service:
    return await api.send("PATCH", f"{_SERVICES}/{quoted(service)}/publish", Service, etag=etag)


async def unpublish_service(api: Api, service: str, etag: str) -> Service:
    return await api.send("PATCH", f"{_SERVICES}/{quoted(service)}/unpublish", Service, etag=etag)


async def delete_service(api: Api, service: str, etag: str) -> None:
    await api.send("DELETE", f"{_SERVICES}/{quoted(service)}", type(None), etag=etag)


async def roll_back_service(api: Api, service: str, body: Mapping[str, Any], etag: str) -> Service:
    return await api.send("POST", f"{_SERVICES}/{quoted(service)}/rollback", Service, body, etag=etag)


async def list_versions(api: Api, service: str, page: int = 1, size: int = PAGE_SIZE) -> Versions:
    return await api.get(f"{_SERVICES}/{quoted(service)}/versions", Versions, {"page": page, "per_page": size})


async def read_version(api: Api, service: str, version: int) -> dict[str, Any]:
    return await api.get(f"{_SERVICES}/{quoted(service)}/versions/{version}", dict[str, Any])


async def compare_versions(api: Api, service: str, old: int, new: int) -> Comparison:
    query = {"from_version": old, "to_version": new}
    return await api.get(f"{_SERVICES}/{quoted(service)}/versions/compare", Comparison, query)


async def list_awaiting_proposals(api: Api) -> Proposals:
    return await api.get(
        "/search/api/v1/admin/proposals", Proposals, {"awaiting_approval": True, "per_page": MOST_AT_ONCE}
    )


async def list_edited_proposals(api: Api) -> Proposals:
    return await api.get(
        "/search/api/v1/admin/proposals", Proposals, {"awaiting_approval": False, "per_page": MOST_AT_ONCE}
    )


async def list_proposals(api: Api, service: str) -> Proposals:
    return await api.get(f"{_SERVICES}/{quoted(service)}/proposals", Proposals, {"per_page": MOST_AT_ONCE})


async def create_proposal(api: Api, service: str, body: Mapping[str, Any], *, etag: str, key: str) -> Proposal:
    return await api.send("POST", f"{_SERVICES}/{quoted(service)}/proposals", Proposal, body, etag=etag, key=key)


async def read_proposal(api: Api, service: str, proposal: str) -> Read[Proposal]:
    return await api.read(_proposal(service, proposal), Proposal)


async def change_proposal(api: Api, service: str, proposal: str, body: Mapping[str, Any], etag: str) -> Proposal:
    return await api.send("PUT", _proposal(service, proposal), Proposal, body, etag=etag)


async def publish_proposal(api: Api, service: str, proposal: str, etag: str) -> Service:
    return await api.send("POST", f"{_proposal(service, proposal)}/publish", Service, etag=etag)


async def send_back_proposal(api: Api, service: str, proposal: str, reason: str, etag: str) -> Proposal:
    path = f"{_proposal(service, proposal)}/send-back"
    return await api.send("POST", path, Proposal, {"reason": reason}, etag=etag)


async def withdraw_proposal(api: Api, service: str, proposal: str, etag: str) -> None:
    await api.send("DELETE", _proposal(service, proposal), type(None), etag=etag)


def _proposal(service: str, proposal: str) -> str:
    return f"{_SERVICES}/{quoted(service)}/proposals/{quoted(proposal)}"


def _to_service(members: dict[str, Any]) -> Service:
    service = msgspec.convert(members, Service)
    service.content = members
    return service
