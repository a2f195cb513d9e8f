"""Wire types that several features share."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

CreatedAt = Annotated[
    datetime, Meta(description="Criação do registro, em UTC.", examples=["2026-10-05T14:30:00.000000Z"])
]
UpdatedAt = Annotated[
    datetime, Meta(description="Última mudança do registro, em UTC.", examples=["2026-10-05T14:30:00.000000Z"])
]


class Message(msgspec.Struct):
    """A response that consists of one sentence for the user, for example after a removal."""

    message: Annotated[
        str,
        Meta(
            description="O que foi feito, em uma frase para mostrar à pessoa.",
            examples=["Comportamento ou atitude retirado do currículo."],
        ),
    ]


class Nothing(msgspec.Struct):
    """An empty object (`{}`), for callers that always parse the body."""
