"""Wire types for the phone number and its verification (rules: registry 2.3, 2.4)."""

from typing import Annotated

import msgspec
from msgspec import Meta


class PhoneBody(msgspec.Struct):
    """A phone number. `ddd` is required only for `ddi` 55."""

    ddi: Annotated[str, Meta(description="Código do país, de 1 a 3 dígitos, com ou sem `+`.", examples=["55"])]
    valor: Annotated[
        str,
        Meta(
            description="Número sem os códigos, 8 ou 9 dígitos no Brasil, de 4 a 14 fora dele; pontuação não conta.",
            examples=["900010176"],
        ),
    ]
    ddd: Annotated[
        str | None,
        Meta(description="Código de área: de 11 a 99 no Brasil; fora dele, opcional, até 4 dígitos.", examples=["21"]),
    ] = None


class ConfirmationBody(PhoneBody, kw_only=True):
    """The number to confirm, with the code that was sent to it."""

    code: Annotated[str, Meta(description="Código de 6 dígitos recebido no telefone.", examples=["123456"])]
