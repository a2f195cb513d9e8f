"""Wire types for the reconciliation (rules: registry 2.11)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.registry.members import CpfDigits


class ReconciliationBody(msgspec.Struct):
    """A reconciliation request. Exactly one of the two members is required."""

    cpf: Annotated[CpfDigits | UnsetType, Meta(description="Só esta pessoa, já: CPF, 11 dígitos.")] = UNSET
    since: Annotated[
        str | UnsetType,
        Meta(
            description="Quem mudou no CRM desde então: data com hora ISO 8601 (sem fuso, UTC), que já passou.",
            examples=["2026-03-01T00:00:00Z"],
            extra_json_schema={"format": "date-time"},
        ),
    ] = UNSET


class Reconciliation(msgspec.Struct):
    """A reconciliation. A reconciliation of a single person finishes immediately and has no id."""

    id: Annotated[
        str | None,
        Meta(description="Id da execução; nulo para uma só pessoa.", examples=["0190a5e4-7c1b-7d3e-8f00-3d1c2b4a5e6f"]),
    ]
    since: Annotated[
        datetime | None,
        Meta(description="Desde quando (RFC 3339); nulo para uma só pessoa.", examples=["2026-03-01T00:00:00Z"]),
    ]
    state: Annotated[
        str, Meta(description="`running`, `done` ou `abandoned` (descartada por quem opera).", examples=["running"])
    ]
    people: Annotated[int, Meta(description="Pessoas comparadas; quem mudou de vários modos conta mais de uma vez.")]
    events: Annotated[int, Meta(description="Eventos novos, que serão aplicados como os que o CRM envia.")]
    refused: Annotated[int, Meta(description="O que o CRM tem e não seria aceito como evento.")]
    requested_at: Annotated[
        datetime, Meta(description="Quando foi pedida (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    finished_at: Annotated[
        datetime | None, Meta(description="Quando terminou (RFC 3339); nulo até lá.", examples=["2026-03-02T12:31:00Z"])
    ]
