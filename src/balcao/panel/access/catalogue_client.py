"""The API operations on the catalogue as a whole: explaining decisions, the document and the history."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import httpx
import msgspec

from balcao.panel.access.client import NamedAction, Reach, Way
from balcao.web.api import Api
from balcao.web.envelopes import Items

_BASE = "/access/api/v1"


class ExplainedMapping(msgspec.Struct):
    id: int
    method: str
    path_pattern: str
    service: str | None
    operation: str | None
    guard: str | None


class Explanation(msgspec.Struct):
    decision: str
    reason: str
    mapping: ExplainedMapping | None
    action: NamedAction | None
    via: list[Way]
    reach: Reach | None


class PlanItem(msgspec.Struct):
    kind: str
    key: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    reach: Reach | None


class Remark(msgspec.Struct):
    kind: str
    key: str
    message: str


class Plan(msgspec.Struct):
    plan_id: str
    base_version: int
    create: list[PlanItem]
    update: list[PlanItem]
    delete: list[PlanItem]
    unchanged: int
    warnings: list[Remark]
    blocked: list[Remark]
    version: int | None = None


class AuditEvent(msgspec.Struct):
    seq: int | None
    at: datetime
    actor: dict[str, Any]
    operation: str
    target_name: str | None
    subject: dict[str, Any] | None
    before: Any
    after: Any
    outcome: str
    catalogue_version: int


class Verdict(msgspec.Struct):
    ok: bool
    checked: int
    first_seq: int | None
    last_seq: int | None
    head_hash: str | None
    broken_at: int | None


async def explain(api: Api, asked: Mapping[str, str], subject: str | None) -> Explanation:
    """Explain whether an `action`, or a `method` on a `path`, is allowed."""
    return await api.get(f"{_BASE}/explain", Explanation, {**asked, "subject": subject})


async def download_document(api: Api) -> httpx.Response:
    return await api.download(f"{_BASE}/catalogue", {"format": "yaml"})


async def plan_document(api: Api, document: str, *, prune: bool) -> Plan:
    return await api.send("POST", f"{_BASE}/catalogue/plan", Plan, msgspec.Raw(document.encode()), {"prune": prune})


async def apply_plan(api: Api, plan: str) -> Plan:
    return await api.send("POST", f"{_BASE}/catalogue/apply", Plan, {"plan_id": plan})


async def list_events(api: Api, query: Mapping[str, Any], *, limit: int, skip: int) -> Items[AuditEvent]:
    return await api.get(f"{_BASE}/audit", Items[AuditEvent], {**query, "limit": limit, "skip": skip})


async def verify_chain(api: Api) -> Verdict:
    return await api.get(f"{_BASE}/audit/verify", Verdict)
