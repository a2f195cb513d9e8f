"""Wire types of the person's rights (rules: registry 2.9, 2.10)."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from balcao.core.audit.personal_data import Cleared, Kept
from balcao.core.http.paging import PageQuery, Pagination

Moment = Annotated[str, msgspec.Meta(description="Data (`AAAA-MM-DD`) ou data com hora (RFC 3339), inclusive")]


class Access(msgspec.Struct):
    """Who saw or changed a person's data; `actor` is a client, or `self`, never another person."""

    at: datetime
    action: str
    operation: str
    fields: list[str]
    actor_kind: str
    actor: str
    grant: str
    reason: str | None
    outcome: str


class AccessPage(msgspec.Struct):
    data: list[Access]
    pagination: Pagination


class AccessQuery(PageQuery, rename={"from_": "from"}):
    from_: Moment | UnsetType = UNSET
    to: Moment | UnsetType = UNSET


class AnonymisationBody(msgspec.Struct):
    """`confirmation` is what the dry run answered; `reason` is for staff."""

    dry_run: bool = True
    confirmation: str | None = None
    reason: str | None = None


class Anonymisation(msgspec.Struct):
    """`at` is the tombstone's time. A dry run answers the `confirmation` that does the same in earnest."""

    cpf: str
    dry_run: bool
    at: datetime
    cleared: list[Cleared]
    kept: list[Kept]
    confirmation: str | None = None
    expires_at: datetime | None = None


class Export(msgspec.Struct):
    """The file, member by member (rules: registry 4.9)."""

    exportado_em: datetime
    cidadao: Any
    registro_base: Any
    autodeclarado: Any
    consentimentos_crm: Any
    preferencias: Any
    historico_preferencias: Any
    veiculos: Any
    condutor_de: Any
    pets: Any
    avatar: Any
    empresas: Any
    chamados: Any
    carteira: Any
    acessos: Any


class AuditEvent(msgspec.Struct):
    """`seq` and the hashes are null until the worker has chained the event; keyed hashes stand for people."""

    id: str
    seq: int | None
    at: datetime
    request_id: str
    operation: str
    action: str
    subject: str | None
    subject_hash: str | None
    actor_kind: str
    actor_hash: str | None
    key_number: int
    client: str
    grant: str
    fields: list[str]
    reason: str | None
    outcome: str
    prev_hash: str | None
    hash: str | None


class AuditPage(msgspec.Struct):
    data: list[AuditEvent]
    pagination: Pagination


class AuditQuery(PageQuery, rename={"from_": "from"}, kw_only=True):
    from_: Moment
    to: Moment
    cpf: str | UnsetType = UNSET
    actor: Annotated[str, msgspec.Meta(description="CPF de quem agiu")] | UnsetType = UNSET
    client: str | UnsetType = UNSET
    operation: str | UnsetType = UNSET
