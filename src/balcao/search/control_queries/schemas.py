"""Wire types of the control queries."""

from typing import Annotated

import msgspec
from msgspec import Meta


class ControlQueries(msgspec.Struct):
    """The queries by which two physical tables are compared."""

    queries: Annotated[
        list[str], Meta(description="Até 200 buscas, na ordem.", examples=[["poda de árvore", "segunda via do iptu"]])
    ]
