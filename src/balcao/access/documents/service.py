"""The catalogue as code: export, plan and apply (rules: access 4.7)."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from balcao.access.catalogue.events import CatalogueEvent
from balcao.access.catalogue.service import CatalogueWrite, part_of, write_together
from balcao.access.documents import difference, export, policy, store, yaml_subset
from balcao.access.documents.difference import Difference
from balcao.access.documents.schemas import Document, Format, Item, Plan, PolicyTemplate, Remark
from balcao.access.documents.steps import perform
from balcao.access.documents.store import StoredPlan
from balcao.access.mappings.patterns import erase_names
from balcao.access.roles import service as roles
from balcao.core.access.rules import AUTHENTICATED, MACHINE, PUBLIC
from balcao.core.context.call import Call
from balcao.core.errors import BalcaoError, Conflict, Fault, Forbidden, NotFound, Unprocessable
from balcao.core.http import decoding
from balcao.core.values.ids import new_id

PLAN_AGE = timedelta(minutes=15)


async def export_catalogue(call: Call, written_as: Format) -> tuple[bytes, int]:
    """Return the document and the version that it shows."""
    async with call.platform.database.connection() as connection:
        catalogue = await store.read(connection)
    return await asyncio.to_thread(export.encode, export.to_document(catalogue), written_as), catalogue.version


def parse(content: bytes) -> Document:
    """Return a document written in YAML or JSON. Raises Unprocessable with every fault."""
    if content.lstrip()[:1] in {b"", b"{"}:
        document = decoding.decode_model(content, Document)
    else:
        try:
            value = yaml_subset.read(content)
        except yaml_subset.NotPlain as fault:
            raise _refuse(["body"], str(fault)) from None
        if not isinstance(value, dict):
            raise _refuse(["body"], "deve ser um documento com os membros do catálogo")
        document = decoding.validate_model(value, Document, "body")
    _refuse_repeated(document)
    return document


def _refuse_repeated(document: Document) -> None:
    keys: dict[str, list[Any]] = {
        "actions": [action.name for action in document.actions],
        "roles": [role.name for role in document.roles],
        "groups": [group.name for group in document.groups],
        "mappings": [(mapping.method, erase_names(mapping.path)) for mapping in document.mappings],
        "bindings": [binding.operation for binding in document.bindings],
    }
    for name, listed in keys.items():
        if len(set(listed)) < len(listed):
            raise _refuse(["body", name], "um item está repetido")


def _refuse(place: list[str], text: str) -> Unprocessable:
    return Unprocessable(faults=[Fault(loc=place, msg=text, type="value_error")])


async def plan(call: Call, content: bytes, *, prune: bool) -> Plan:
    """Return what applying the document would change; nothing is changed but that the plan is kept for a while.

    Every step is tried and undone, so that what stands in its way is what would refuse it.
    """
    document = await asyncio.to_thread(parse, content)
    async with write_together(call, _name(None), rehearse=True) as write:
        found, blocked = await _carry_out(call, write, document, prune=prune)
    made = _describe(UUID(new_id()), write.version, found, [_remark(step, fault) for step, fault in blocked])
    stored = StoredPlan(made.base_version, document.model_dump_json(exclude_unset=True), prune)
    async with call.platform.database.connection() as connection:
        await store.save_plan(connection, made.plan_id, stored)
    return made


async def apply(call: Call, plan_id: UUID) -> Plan:
    """Make the changes of a plan, all or none.

    Raises NotFound for an unknown or old plan; Conflict when the catalogue moved on or something stands in the way;
    Forbidden for what the caller may not change.
    """
    async with call.platform.database.connection() as connection:
        stored = await store.find_plan(connection, plan_id, PLAN_AGE)
    if stored is None:
        raise NotFound("Não há plano com esse id, ou ele tem mais de 15 minutos.")
    document = Document.model_validate_json(stored.document)
    async with write_together(call, _name(plan_id)) as write:
        if write.version != stored.base_version:
            raise Conflict("O catálogo mudou depois do plano: planeje de novo.", code="catalogue-moved")
        found, blocked = await _carry_out(call, write, document, prune=stored.prune)
        for step, fault in blocked:
            if isinstance(fault, Forbidden):
                raise fault
            raise Conflict(f"{step.key}: {fault.message}", code="plan-blocked")
        made = _describe(plan_id, write.version, found, [])
        if write.events:
            counts = {"create": len(made.create), "update": len(made.update), "delete": len(made.delete)}
            write.record(CatalogueEvent("catalogue.apply", "catalogue", name=str(plan_id), after=counts))
    made.applied, made.version = True, write.version
    return made


async def _carry_out(
    call: Call, write: CatalogueWrite, document: Document, *, prune: bool
) -> tuple[Difference, list[tuple[Item, BalcaoError]]]:
    """Do every step that can be done; return what the document changes, and the steps that were refused."""
    found = difference.compare(await store.read(write.connection), document, prune=prune)
    blocked: list[tuple[Item, BalcaoError]] = []
    for step in found.steps:
        try:
            async with part_of(write):
                await perform(call, write.connection, step)
        except BalcaoError as fault:
            if fault.status >= 500:
                raise
            blocked.append((step, fault))
    return found, blocked


def _describe(plan_id: UUID, version: int, found: Difference, blocked: Sequence[Remark]) -> Plan:
    create, update, delete = found.list_by_verb()
    return Plan(plan_id, version, create, update, delete, found.unchanged, found.warnings, list(blocked), applied=False)


def _remark(step: Item, fault: BalcaoError) -> Remark:
    return Remark(step.kind, step.key, fault.code, fault.message)


def _name(plan_id: UUID | None) -> CatalogueEvent:
    return CatalogueEvent("catalogue.apply", "catalogue", name=str(plan_id) if plan_id else None)


async def make_policy_template(call: Call, role: str) -> PolicyTemplate:
    """Return what the role grants as a policy for another engine; nobody is granted the platform's own actions.

    Raises NotFound.
    """
    granted = {action.name for action in await roles.list_granted(call, role)}
    return policy.to_template(role, granted - {PUBLIC, AUTHENTICATED, MACHINE})
