"""Wire types of the control queries."""

from typing import Annotated

import msgspec
from msgspec import Meta


class ControlQueries(msgspec.Struct):
    """The queries that compare the results of two physical tables."""

    queries: Annotated[
        list[str], Meta(description="Até 200 buscas, na ordem.", examples=[["poda de árvore", "segunda via do iptu"]])
    ]


class ControlReport(msgspec.Struct, frozen=True):
    """The comparison of the results of two tables. Both shares are from 0 to 1."""

    queries: Annotated[int, Meta(description="Buscas comparadas.", examples=[2])]
    overlap: Annotated[
        float, Meta(description="Parte dos dez primeiros que as duas tabelas têm em comum.", examples=[1.0])
    ]
    empty: Annotated[float, Meta(description="Parte das buscas que na tabela nova nada acham.", examples=[0.0])]
