"""Member types shared by the wire types of several features."""

from datetime import datetime
from typing import Annotated, TypeAlias

from msgspec import Meta

CpfDigits: TypeAlias = Annotated[str, Meta(description="CPF, só os 11 dígitos.", examples=["90000000175"])]
MaskedCpf: TypeAlias = Annotated[str, Meta(description="CPF mascarado.", examples=["***.000.001-**"])]
CpfForViewer: TypeAlias = Annotated[
    str,
    Meta(
        description="CPF: os 11 dígitos para a própria pessoa, mascarado para os outros.",
        examples=["90000000175", "***.000.001-**"],
    ),
]
CreatedAt: TypeAlias = Annotated[
    datetime, Meta(description="Quando foi criado (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
]
UpdatedAt: TypeAlias = Annotated[
    datetime, Meta(description="Quando mudou pela última vez (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
]
PeriodStart: TypeAlias = Annotated[
    str,
    Meta(
        description="Início do período, inclusive: data (`AAAA-MM-DD`) ou data com hora (RFC 3339).",
        examples=["2026-03-01"],
    ),
]
PeriodEnd: TypeAlias = Annotated[
    str,
    Meta(
        description="Fim do período, inclusive: data (`AAAA-MM-DD`) ou data com hora (RFC 3339).",
        examples=["2026-03-31"],
    ),
]
CpfFilter: TypeAlias = Annotated[
    str, Meta(pattern=r"^[0-9]{11}$", description="Só os desta pessoa: CPF, 11 dígitos.", examples=["90000000175"])
]
