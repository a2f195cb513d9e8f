"""The catalogue as code: export, plan and apply (rules: access 4.7)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from pydantic import BaseModel

from balcao.access.catalogue import authority
from balcao.access.catalogue.events import CatalogueEvent, describe_person, mask_author
from balcao.access.catalogue.service import record_denial, write_catalogue
from balcao.access.documents import difference, export, openapi, policy, store, writing, yaml_subset
from balcao.access.documents.difference import Difference
from balcao.access.documents.draft import Draft
from balcao.access.documents.draft_records import BlockedStep, Change, Members
from balcao.access.documents.openapi import OpenApi, OpenApiQuery
from balcao.access.documents.schemas import Document, Format, Plan, PolicyTemplate, Remark
from balcao.access.documents.store import StoredPlan
from balcao.access.mappings.patterns import erase_parameter_names
from balcao.access.roles import service as roles
from balcao.core.access.rules import AUTHENTICATED, MACHINE, PUBLIC
from balcao.core.context.call import Call
from balcao.core.database.pool import SERVING_SECONDS
from balcao.core.errors import Conflict, Fault, Forbidden, NotFound, Unprocessable
from balcao.core.http import decoding
from balcao.core.offloading import run_in_thread
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id

M = TypeVar("M", bound=BaseModel)
PLAN_AGE = timedelta(minutes=15)
# The catalogue may be locked for a second. Writing this number of rows and hashing their events takes much less.
MOST_CHANGES = 2_000


async def export_catalogue(call: Call, written_as: Format) -> tuple[bytes, int]:
    """Return the catalogue as a document, and its version."""
    async with call.platform.database.connection() as connection:
        catalogue = await store.read_stored_catalogue(connection)
    return await run_in_thread(export.encode_document, export.render_document(catalogue), written_as), catalogue.version


def parse_document(content: bytes) -> Document:
    """Parse a document in YAML or JSON. Raises Unprocessable if it is not valid."""
    document = _parse(content, Document, yaml_subset.MAX_DEPTH)
    _refuse_repeated(document)
    return document


def parse_openapi(content: bytes, query: OpenApiQuery) -> Document:
    """Return the document that maps the operations of an OpenAPI description in YAML or JSON.

    Raises Unprocessable if the description is not valid, an operation has no action, or a path is not a valid pattern.
    """
    document = openapi.to_document(_parse(content, OpenApi, openapi.MAX_DEPTH), query)
    _refuse_repeated(document)
    return document


def _parse(content: bytes, kind: type[M], most_levels: int) -> M:
    if content.lstrip()[:1] in {b"", b"{"}:
        return decoding.decode_model(content, kind)
    try:
        value = yaml_subset.read_yaml(content, most_levels)
    except yaml_subset.UnsupportedYaml as fault:
        raise _refuse(["body"], str(fault)) from None
    if not isinstance(value, dict):
        raise _refuse(["body"], "deve ser um documento com os membros pedidos")
    return decoding.validate_model(value, kind, "body")


def _refuse_repeated(document: Document) -> None:
    keys: dict[str, list[Any]] = {
        "actions": [action.name for action in document.actions],
        "roles": [role.name for role in document.roles],
        "groups": [group.name for group in document.groups],
        "mappings": [(mapping.method, erase_parameter_names(mapping.path)) for mapping in document.mappings],
        "bindings": [binding.operation for binding in document.bindings],
    }
    for name, listed in keys.items():
        if len(set(listed)) < len(listed):
            raise _refuse(["body", name], "um item está repetido")


def _refuse(place: list[str], text: str) -> Unprocessable:
    return Unprocessable(faults=[Fault(loc=place, msg=text, type="value_error")])


async def plan_changes(call: Call, content: bytes, *, prune: bool) -> Plan:
    """Return the changes that applying the document would make, and store the plan for `PLAN_AGE`.

    The document is applied in memory to one version of the catalogue, without a lock. Raises Unprocessable if the
    document is not valid or makes too many changes.
    """
    return await _plan(call, await run_in_thread(parse_document, content), prune=prune)


async def plan_openapi(call: Call, content: bytes, query: OpenApiQuery) -> Plan:
    """Return the changes that would map the operations of an OpenAPI description, and store the plan.

    Raises Unprocessable in the cases of `plan_changes`, and if an operation has no action.
    """
    return await _plan(call, await run_in_thread(parse_openapi, content, query), prune=False)


async def _plan(call: Call, document: Document, *, prune: bool) -> Plan:
    tried = await _try(call, document, prune=prune)
    made = _describe(UUID(new_id()), tried)
    stored = StoredPlan(made.base_version, document.model_dump_json(exclude_unset=True), prune)
    async with call.platform.database.connection() as connection:
        await store.save_plan(connection, made.plan_id, stored)
    return made


async def apply_plan(call: Call, plan_id: UUID) -> Plan:
    """Apply all changes of a plan, or none.

    The document is applied again in memory, to the plan's version of the catalogue. Then the catalogue is locked, its
    version is compared with the plan's, and the rows are written. Raises NotFound for an unknown or expired plan, and
    Conflict if the catalogue has changed or a step is blocked.
    """
    attempt = CatalogueEvent("catalogue.apply", "catalogue", name=str(plan_id))
    async with call.platform.database.connection() as connection:
        stored = await store.find_plan(connection, plan_id, PLAN_AGE)
    if stored is None:
        raise NotFound("Não há plano com esse id, ou ele tem mais de 15 minutos.")
    document = await run_in_thread(Document.model_validate_json, stored.document)
    tried = await _try(call, document, prune=stored.prune, stored=stored)
    await _refuse_blocked(call, attempt, tried.draft.blocked)
    made = _describe(plan_id, tried)
    changes = await _name_losers(call, tried.draft.changes)
    rows: dict[str, list[Members]] = defaultdict(list)
    for change in changes:
        rows[change.event.operation].append(change.row)
    async with write_catalogue(call, attempt) as write:
        _require_version(write.version, stored)
        if changes:
            await writing.write_changes(write.connection, rows, mask_author(call))
            for change in changes:
                write.record(change.event)
            counts = {"create": len(made.create), "update": len(made.update), "delete": len(made.delete)}
            write.record(CatalogueEvent("catalogue.apply", "catalogue", name=str(plan_id), after=counts))
    made.applied, made.version = True, write.version
    return made


class _PlannedDocument(NamedTuple):
    """A document's differences from the catalogue, and the draft to which they have been applied."""

    version: int
    found: Difference
    draft: Draft


async def _try(call: Call, document: Document, *, prune: bool, stored: StoredPlan | None = None) -> _PlannedDocument:
    """Apply a document in memory to the current version of the catalogue.

    `stored` is the plan to apply. If it is given, new rows get ids from the sequences, and Conflict is raised if the
    catalogue has changed since the plan was made.
    """
    pool = call.platform.database.separate_pool(1)  # reading a large catalogue may exceed a request's time limit
    await pool.open(SERVING_SECONDS)
    try:
        async with pool.transaction(isolation="repeatable_read") as connection:
            catalogue = await store.read_stored_catalogue(connection)
            held = await authority.read_held_rights(connection, call)
        if stored is not None:
            _require_version(catalogue.version, stored)
        found = await run_in_thread(partial(difference.compare_documents, prune=prune), catalogue, document)
        _refuse_too_many(len(found.steps))
        ids = None
        if stored is not None:
            new = Counter(str(step.kind) for step in found.steps if step.before is None)
            async with pool.connection() as connection:
                ids = await writing.reserve_ids(connection, new)
    finally:
        await pool.close()
    draft = Draft(
        catalogue,
        held,
        authority.list_managed_actions(call.platform.catalogue.latest),
        admin_from_token=call.platform.settings.access_admin_from_token,
        ids=ids,
    )
    await run_in_thread(draft.apply, found.steps)
    _refuse_too_many(sum(1 + change.lost for change in draft.changes))
    return _PlannedDocument(catalogue.version, found, draft)


def _require_version(version: int, stored: StoredPlan) -> None:
    if version != stored.base_version:
        raise Conflict("O catálogo mudou depois do plano: planeje de novo.", code="catalogue-moved")


def _refuse_too_many(changes: int) -> None:
    if changes > MOST_CHANGES:
        raise _refuse(
            ["body"], f"muda {changes} coisas, e de uma vez podem ser no máximo {MOST_CHANGES}: divida o documento"
        )


async def _refuse_blocked(call: Call, attempt: CatalogueEvent, blocked: Sequence[BlockedStep]) -> None:
    """Raise Conflict if any step is blocked. If a step is forbidden, also record this in the audit trail."""
    if any(isinstance(one.fault, Forbidden) for one in blocked):
        await record_denial(call, attempt)
    if blocked:
        raise Conflict(f"{blocked[0].step.key}: {blocked[0].fault.message}", code="plan-blocked")


async def _name_losers(call: Call, changes: Sequence[Change]) -> list[Change]:
    """Sort the changes into the order of writing.

    Add to each deletion of a group or role the people who lose that group or role.
    """
    ordered = sorted(changes, key=lambda change: writing.ORDER[change.event.operation])
    gone = {
        operation: [change.row["id"] for change in ordered if change.event.operation == operation]
        for operation in ("group.delete", "role.delete")
    }
    if not any(gone.values()):
        return ordered
    async with call.platform.database.connection() as connection:
        members, people = await store.list_members_and_holders(connection, gone["group.delete"], gone["role.delete"])
    for change in ordered:
        identity = change.event.identity or ""
        if change.event.operation == "group.delete":
            change.event.before["members"] = [describe_person(call, Cpf(cpf)) for cpf in members.get(identity, [])]
        elif change.event.operation == "role.delete":
            change.event.before["people"] = [describe_person(call, Cpf(cpf)) for cpf in people.get(identity, [])]
    return ordered


def _describe(plan_id: UUID, tried: _PlannedDocument) -> Plan:
    create, update, delete = tried.found.list_by_verb()
    blocked = [Remark(one.step.kind, one.step.key, one.fault.code, one.fault.message) for one in tried.draft.blocked]
    return Plan(
        plan_id,
        tried.version,
        create,
        update,
        delete,
        tried.found.unchanged,
        tried.found.warnings,
        blocked,
        applied=False,
    )


async def make_policy_template(call: Call, role: str) -> PolicyTemplate:
    """Return a role's grants as a Cerbos policy, without the platform's own actions.

    Raises NotFound for an unknown role.
    """
    granted = {action.name for action in await roles.list_granted_actions(call, role)}
    return policy.render_policy(role, granted - {PUBLIC, AUTHENTICATED, MACHINE})
