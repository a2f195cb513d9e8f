"""Proposals: stored changes of published services, which staff publish or send back (rules: search 3.7)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from balcao.core.context.audit import Action
from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.context.reasons import clean_reason
from balcao.core.database.pool import Connection, json_text
from balcao.core.errors import Conflict, NotFound
from balcao.core.values.etags import require_match
from balcao.core.values.ids import new_id
from balcao.search.collection.row import StoredService
from balcao.search.conventions import (
    LONGEST_CHANGE_REASON,
    PUBLISH,
    clean_change_reason,
    describe_event,
    format_etag,
    name_actor,
    parse_uuid_parameter,
    require_action,
)
from balcao.search.document import ServiceContent
from balcao.search.proposals import store
from balcao.search.proposals.schemas import (
    Proposal,
    ProposalBody,
    ProposalChangeBody,
    ProposalEntry,
    Proposals,
    SendBackBody,
)
from balcao.search.proposals.store import ProposedText, StoredProposal
from balcao.search.services import service as services
from balcao.search.services.content import list_content_changes, merge_content
from balcao.search.services.schemas import StaffService
from balcao.search.services.writing import Edit
from balcao.search.versions import service as versions
from balcao.search.versions.service import VersionChange

# These limits stop one author from filling the list of a service or the queue of the approvers.
MOST_OF_SERVICE = 20
MOST_OF_AUTHOR_HERE = 5
MOST_OF_AUTHOR = 100
KEPT = timedelta(days=365)
UNKNOWN = "Proposta não encontrada."


class OpenProposal(NamedTuple):
    """A locked proposal and its locked service."""

    edit: Edit
    service: StoredService
    stored: StoredProposal


def format_proposal_etag(proposal: ProposalEntry) -> str:
    """Return the ETag of a proposal, with its base version and the number of times it was saved."""
    return f'"v{proposal.base_version}-r{proposal.revision}"'


async def list_proposals(
    call: Call, page: int, per_page: int, *, service_id: str | None = None, awaiting: bool | None = None
) -> Proposals:
    """Return a page of the proposals for one service, or for all. Raises NotFound for an unknown service."""
    if service_id is not None:
        service_id = (await services.read_service(call, service_id)).id
    async with call.platform.database.connection() as connection:
        found, entries = await store.list_proposals(connection, service_id, awaiting, per_page, (page - 1) * per_page)
    return Proposals(found, found, page, per_page, entries)


async def read_proposal(call: Call, service_id: str, proposal_id: str) -> Proposal:
    """Return a proposal with its content. Raises NotFound if it does not exist."""
    known, wanted = parse_uuid_parameter(service_id, services.UNKNOWN), parse_uuid_parameter(proposal_id, UNKNOWN)
    async with call.platform.database.connection() as connection:
        return await _read(connection, known, wanted)


async def create_proposal(call: Call, service_id: str, body: ProposalBody) -> bytes:
    """Propose a change of a published service, once for each `Idempotency-Key`. Return the proposal as JSON.

    Raises:
        Invalid: if a member is bad.
        NotFound: if the service does not exist.
        PreconditionFailed: if `If-Match` does not match the service.
        Conflict: if the service is not published, nothing would change, or there are too many proposals.
    """
    reason = clean_change_reason(body.change_reason)
    async with services.lock_service(call, service_id) as (edit, service):

        async def make() -> Proposal:
            require_match(call.if_match, format_etag(service.version))
            _require_published(service)
            await _require_room(edit)
            awaiting = body.awaiting_approval is not False
            content = _merge(body, service.document, service, edit)
            text = _write_text(content, service.document, service.version, awaiting, reason)
            proposal_id = new_id()
            await store.insert_proposal(
                edit.connection, proposal_id, edit.service_id, text, edit.author.name, edit.author.subject
            )
            await _record(call, edit, "create", proposal_id)
            return await _read(edit.connection, edit.service_id, proposal_id)

        return await run_once(edit.connection, call, None, [edit.service_id, body], make)


def read_made(response: bytes) -> Proposal:
    """Decode the proposal that `create_proposal` returned."""
    return msgspec.json.decode(response, type=Proposal)


async def change_proposal(call: Call, service_id: str, proposal_id: str, body: ProposalChangeBody) -> Proposal:
    """Save a changed proposal.

    If the body has a `base_version`, the proposal is then based on that version.

    Raises Invalid for a bad member, NotFound if the proposal does not exist, PreconditionFailed if `If-Match` does not
    match, and Conflict if `base_version` is not the newest version or nothing would change.
    """
    reason = clean_change_reason(body.change_reason)
    async with _open_proposal(call, service_id, proposal_id) as (edit, service, stored):
        before = stored.entry
        if body.base_version not in (None, service.version):
            raise _outdated()
        base_version = body.base_version or before.base_version
        base = await versions.read_snapshot(edit.connection, edit.service_id, base_version)
        content = _merge(body, _read_content(stored), service, edit)
        awaiting = before.awaiting_approval if body.awaiting_approval in (UNSET, None) else body.awaiting_approval
        text = _write_text(content, base or service.document, base_version, bool(awaiting), reason)
        await store.change_proposal(edit.connection, before.id, text, edit.author.name)
        await _record(call, edit, "update", before.id)
        return await _read(edit.connection, edit.service_id, before.id)


async def withdraw_proposal(call: Call, service_id: str, proposal_id: str) -> None:
    """Delete a proposal. Only its author and callers with `service:publish` may do so.

    Raises NotFound if the proposal does not exist, Forbidden for other callers, and PreconditionFailed if `If-Match`
    does not match.
    """
    async with _open_proposal(call, service_id, proposal_id) as (edit, _, stored):
        if stored.author != edit.author.subject:
            require_action(call, PUBLISH)
        await store.delete_proposal(edit.connection, stored.entry.id)
        await _record(call, edit, "delete", stored.entry.id)


async def publish_proposal(call: Call, service_id: str, proposal_id: str) -> StaffService:
    """Save a proposal as a new version of its service, and delete the proposal.

    Raises NotFound if the proposal does not exist, PreconditionFailed if `If-Match` does not match, and Conflict if the
    proposal does not await approval, or if its service is not published or has changed since.
    """
    async with _open_proposal(call, service_id, proposal_id) as (edit, service, stored):
        entry = stored.entry
        _require_awaiting(entry)
        _require_published(service)
        if entry.outdated:
            raise _outdated()
        change = VersionChange("update", reason=entry.change_reason, proposed_by=entry.created_by)
        saved = await services.save_service(call, edit, _keep_state(_read_content(stored), service), change)
        await store.delete_proposal(edit.connection, entry.id)
        await _record(call, edit, "update", entry.id, published=saved.version)
    return saved


async def send_back_proposal(call: Call, service_id: str, proposal_id: str, body: SendBackBody) -> Proposal:
    """Return a proposal to its editors with a reason.

    Raises Invalid for a bad reason, NotFound if the proposal does not exist, PreconditionFailed if `If-Match` does not
    match, and Conflict if the proposal does not await approval.
    """
    reason = clean_reason("reason", body.reason, longest=LONGEST_CHANGE_REASON)
    async with _open_proposal(call, service_id, proposal_id) as (edit, _, stored):
        _require_awaiting(stored.entry)
        await store.return_proposal(edit.connection, stored.entry.id, name_actor(call), reason)
        await _record(call, edit, "update", stored.entry.id, sent_back=True)
        return await _read(edit.connection, edit.service_id, stored.entry.id)


@asynccontextmanager
async def _open_proposal(call: Call, service_id: str, proposal_id: str) -> AsyncIterator[OpenProposal]:
    """Lock the service and then the proposal, for the block.

    Raises NotFound if one of them does not exist, and PreconditionFailed if `If-Match` does not match the proposal.
    """
    wanted = parse_uuid_parameter(proposal_id, UNKNOWN)
    async with services.lock_service(call, service_id) as (edit, service):
        stored = await store.lock_proposal(edit.connection, edit.service_id, wanted)
        if stored is None:
            raise NotFound(UNKNOWN, code="proposal-unknown")
        require_match(call.if_match, format_proposal_etag(stored.entry))
        yield OpenProposal(edit, service, stored)


async def _read(connection: Connection, service_id: str, proposal_id: str) -> Proposal:
    stored = await store.select_proposal(connection, service_id, proposal_id)
    if stored is None:
        raise NotFound(UNKNOWN, code="proposal-unknown")
    return Proposal(**msgspec.structs.asdict(stored.entry), content=_read_content(stored))


def _read_content(stored: StoredProposal) -> ServiceContent:
    return msgspec.json.decode(stored.content, type=ServiceContent)


def _merge(body: ProposalBody, text: ServiceContent, service: StoredService, edit: Edit) -> ServiceContent:
    """Merge the body into `text`. A proposal never changes the editorial state of the service."""
    merged = merge_content(msgspec.structs.replace(body, status=UNSET, published_at=UNSET), text, edit.at)
    return _keep_state(merged, service)


def _keep_state(content: ServiceContent, service: StoredService) -> ServiceContent:
    present = service.document
    return msgspec.structs.replace(
        content,
        status=present.status,
        awaiting_approval=present.awaiting_approval,
        published_at=present.published_at,
    )


def _write_text(
    content: ServiceContent, base: ServiceContent, base_version: int, awaiting: bool, reason: str | None
) -> ProposedText:
    """Return the text to store. Raises Conflict if it does not differ from `base`."""
    changed = list_content_changes(base, content)
    changed = [name for name in changed if name not in ("status", "awaiting_approval", "published_at")]
    if not changed:
        raise Conflict("A proposta não muda nada do que está publicado.", code="proposal-unchanged")
    return ProposedText(base_version, awaiting, json_text(content), changed, reason)


async def _require_room(edit: Edit) -> None:
    """Raise Conflict if there are too many proposals.

    Locks: the caller has locked the service, and this locks the author. No other transaction can then add a proposal
    that this counts.
    """
    await store.lock_author(edit.connection, edit.author.subject)
    counts = await store.count_proposals_near(edit.connection, edit.service_id, edit.author.subject)
    if counts.of_service >= MOST_OF_SERVICE or counts.of_author_here >= MOST_OF_AUTHOR_HERE:
        text = (
            f"Um serviço tem no máximo {MOST_OF_SERVICE} propostas, {MOST_OF_AUTHOR_HERE} de cada pessoa: "
            "retire alguma antes."
        )
        raise Conflict(text, code="proposals-full")
    if counts.of_author >= MOST_OF_AUTHOR:
        raise Conflict(f"Você já tem {MOST_OF_AUTHOR} propostas: retire alguma antes.", code="proposals-full")


def _require_published(service: StoredService) -> None:
    if service.document.status != 1:
        raise Conflict("O serviço não está publicado: mude-o diretamente.", code="service-not-published")


def _require_awaiting(entry: ProposalEntry) -> None:
    if not entry.awaiting_approval:
        raise Conflict("A proposta não espera aprovação: está em edição.", code="proposal-not-awaiting")


def _outdated() -> Conflict:
    text = "O serviço mudou depois que a proposta foi feita: junte os textos sobre a versão nova."
    return Conflict(text, code="proposal-outdated")


async def _record(call: Call, edit: Edit, action: Action, proposal_id: str, **what: object) -> None:
    fields = describe_event(service=edit.service_id, proposal=proposal_id, **what)
    await call.platform.audit.record(edit.connection, call, action, fields=fields)
