"""Types for the rows and documents that the mirror's statements return."""

from datetime import datetime
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from balcao.registry.mirror.writes import Value


class MirroredField(msgspec.Struct, frozen=True):
    """A field of the mirror, with its origin.

    `origin` is `crm`, `citizen` or `staff`. `confirmed_at` is when the CRM last sent an equal value.
    """

    value: Value
    at: datetime
    origin: str
    confirmed_at: datetime | None = None

    @property
    def latest_at(self) -> datetime:
        return max(self.at, self.confirmed_at or self.at)


class Wording(msgspec.Struct, frozen=True):
    """The values as the person typed them, and their CRM representation (`wire`), which the mirrored field stores."""

    value: dict[str, str]
    wire: str


class Mirror(msgspec.Struct, frozen=True):
    """A person's mirror. `known` is false if nothing was ever written.

    `version` is the mirror's version when it was read, and `read_at` the time of the read.
    """

    known: bool
    fields: dict[str, MirroredField]
    wordings: dict[str, Wording]
    version: int = 0
    read_at: datetime | None = None


class Written(NamedTuple):
    """The outcome of a write: whether the mirror still had the expected version, and whether the write was applied."""

    is_current: bool
    is_written: bool


class CrmConsent(msgspec.Struct, frozen=True):
    """A consent that the CRM sent, or a consent of the citizen that the CRM has confirmed."""

    categoria: Annotated[str, Meta(description="Categoria do consentimento; vazia se o CRM não a informa.")]
    canal: Annotated[str, Meta(description="Canal a que se refere; vazio se o CRM não o informa.", examples=["EMAIL"])]
    status: Annotated[str, Meta(description="`IN` para aceito, `OUT` para recusado.", examples=["IN"])]
    data: Annotated[str | None, Meta(description="Data, como o CRM a escreve.", examples=["2026-03-02"])]
    finalidade: Annotated[str | None, Meta(description="Finalidade, em texto do CRM.")]
    motivo: Annotated[str | None, Meta(description="Motivo, em texto do CRM.")]
    updated_at: Annotated[datetime, Meta(description="Quando a mudança valeu.", examples=["2026-03-02T14:05:09Z"])]


class ExportedConsent(CrmConsent, frozen=True):
    """A consent in the person's data export, with its source."""

    origin: Annotated[str, Meta(description="Quem o informou: `crm` ou `citizen`.", examples=["crm"])]


class ExportedField(msgspec.Struct, frozen=True):
    """A mirrored field in the person's data export."""

    name: Annotated[str, Meta(description="Nome do campo, como o CRM o chama.", examples=["email"])]
    value: Annotated[
        Value, Meta(description="O valor; vazio ou nulo se foi declarado que não há.", examples=["ana@pessoa.example"])
    ]
    updated_at: Annotated[
        datetime, Meta(description="Quando foi declarado (RFC 3339).", examples=["2026-03-02T14:05:09Z"])
    ]
    origin: Annotated[str, Meta(description="Quem o declarou: `citizen`, `staff` ou `crm`.", examples=["citizen"])]
    confirmed_at: Annotated[
        datetime | None,
        Meta(
            description="Quando o CRM disse o mesmo por último; nulo se nunca (RFC 3339).",
            examples=["2026-03-03T08:00:00Z"],
        ),
    ]
    wording: Annotated[
        dict[str, str] | None,
        Meta(
            description="O que a pessoa escreveu, onde a forma do CRM diz menos; senão nulo.",
            examples=[{"valor": "Travesti"}],
        ),
    ]


class Head(msgspec.Struct, frozen=True):
    """A citizen's current consents, and the times of the most recent erasures."""

    anonymised_at: datetime | None = None
    consents_cleared_at: datetime | None = None
    consents: list[CrmConsent] = []


class Erasures(NamedTuple):
    """The times at which the citizen was last anonymised and their consents were last removed. None means never."""

    anonymised_at: datetime | None
    consents_cleared_at: datetime | None


class Covered(msgspec.Struct, frozen=True):
    """What a tombstone erases: names of fields, kinds of wordings, and the number of consents."""

    fields: list[str]
    wordings: list[str]
    consents: int


class OutboxRow(msgspec.Struct, frozen=True):
    """A citizen's changes that are waiting to be pushed.

    `dirty` maps each changed field to the version of its last change. `given_up` means that the job is dead-lettered.
    """

    id: str
    dirty: dict[str, int]
    version: int
    job: int
    given_up: bool
    request_id: str
