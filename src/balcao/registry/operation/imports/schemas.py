"""Wire types for the progress of imports (rules: registry 2.13)."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class ImportState(msgspec.Struct):
    """The progress of the most recent import of one kind of data. The file's path is not shown."""

    kind: Annotated[str, Meta(description="Tipo de dado.", examples=["registry.citizens"])]
    state: Annotated[
        Literal["running", "interrupted", "done"],
        Meta(
            description="`running`; `interrupted`, que continua de onde parou quando o comando é repetido; ou `done`.",
            examples=["running"],
        ),
    ]
    size: Annotated[int, Meta(description="Bytes do arquivo.", examples=[734003200])]
    byte_offset: Annotated[int, Meta(description="Bytes já gravados.", examples=[367001600])]
    lines: Annotated[int, Meta(description="Linhas já tratadas.", examples=[512000])]
    changed: Annotated[int, Meta(description="Linhas que mudaram algo.", examples=[510000])]
    unchanged: Annotated[int, Meta(description="Linhas que já constavam.", examples=[1900])]
    refused: Annotated[int, Meta(description="Linhas recusadas.", examples=[100])]
    skipped: Annotated[int, Meta(description="Linhas em branco.", examples=[3])]
    started_at: Annotated[datetime, Meta(description="Início (RFC 3339).", examples=["2026-03-02T03:00:00Z"])]
    committed_at: Annotated[
        datetime, Meta(description="Última gravação (RFC 3339).", examples=["2026-03-02T03:04:10Z"])
    ]
    finished_at: Annotated[
        datetime | None, Meta(description="Fim (RFC 3339); nulo até lá.", examples=["2026-03-02T03:09:31Z"])
    ]


class Imports(msgspec.Struct):
    """The most recent import of each kind of data, for all services."""

    data: Annotated[list[ImportState], Meta(description="O último arquivo de cada tipo, os inacabados primeiro.")]
