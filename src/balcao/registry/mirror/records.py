"""What is stored of the mirror, as it is read."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.registry.mirror.writes import Value


class MirroredField(msgspec.Struct, frozen=True):
    """`origin` is who wrote it last: `crm`, `citizen` or `staff`."""

    value: Value
    at: datetime
    origin: str


class Wording(msgspec.Struct, frozen=True):
    """What was typed, and the form of it (`wire`) that the field holds."""

    value: dict[str, str]
    wire: str


class Mirror(msgspec.Struct, frozen=True):
    """`known` tells whether anything was ever written; `version` and `read_at` are those of this reading."""

    known: bool
    fields: dict[str, MirroredField]
    wordings: dict[str, Wording]
    version: int = 0
    read_at: datetime | None = None


class CrmConsent(msgspec.Struct, frozen=True):
    """A consent as the CRM gave it, or as it confirmed one of the citizen's."""

    categoria: Annotated[str, Meta(description="Categoria do consentimento; vazia se o CRM não a informa.")]
    canal: Annotated[str, Meta(description="Canal a que se refere; vazio se o CRM não o informa.", examples=["EMAIL"])]
    status: Annotated[str, Meta(description="`IN` para aceito, `OUT` para recusado.", examples=["IN"])]
    data: Annotated[str | None, Meta(description="Data, como o CRM a escreve.", examples=["2026-03-02"])]
    finalidade: Annotated[str | None, Meta(description="Finalidade, em texto do CRM.")]
    motivo: Annotated[str | None, Meta(description="Motivo, em texto do CRM.")]
    updated_at: Annotated[datetime, Meta(description="Quando a mudança valeu.", examples=["2026-03-02T14:05:09Z"])]


class Head(msgspec.Struct, frozen=True):
    """What was cleared and when, and the consents that stand."""

    anonymised_at: datetime | None = None
    consents_cleared_at: datetime | None = None
    consents: list[CrmConsent] = []


class Covered(msgspec.Struct, frozen=True):
    """What a tombstone of that time covers: names of fields and kinds of wordings, and how many consents."""

    fields: list[str]
    wordings: list[str]
    consents: int


class OutboxRow(msgspec.Struct, frozen=True):
    """`dirty` maps a field to the version of its last change; `given_up`: its job will not send it any more."""

    id: str
    dirty: dict[str, int]
    version: int
    job: int
    given_up: bool
    request_id: str


class Standing(msgspec.Struct, frozen=True):
    """What a comparison with the CRM must know: the person's own values by field, and which consents stand.

    A consent is named by category and channel.
    """

    own: dict[str, Value]
    consents: list[tuple[str, str]]
