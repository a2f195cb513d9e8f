"""Wire types for the validators (rules: registry 2.4). If a value is not valid, its parts are empty strings."""

from typing import Annotated

import msgspec
from msgspec import Meta

_Valid = Annotated[bool, Meta(description="Se o texto tem forma válida.", examples=[True])]
_Message = Annotated[str, Meta(description="O resultado, para mostrar ao cidadão.", examples=["Telefone válido."])]


class PhoneQuestion(msgspec.Struct):
    """A string that may be a phone number."""

    phone: Annotated[
        str,
        Meta(
            description="Telefone como foi digitado; sem `+` e sem 55 no começo é lido como brasileiro.",
            examples=["(21) 90001-0175"],
        ),
    ]


class PhoneVerdict(msgspec.Struct):
    """The result of checking a phone number.

    `numero` is the full national number or, for `ddi` 55, the part after the `ddd`.
    """

    valid: _Valid
    message: _Message
    ddi: Annotated[str, Meta(description="Código do país; vazio se inválido.", examples=["55"])] = ""
    ddd: Annotated[str, Meta(description="Código de área, só no Brasil; vazio se não há.", examples=["21"])] = ""
    numero: Annotated[str, Meta(description="Número nacional, no Brasil sem o `ddd`.", examples=["900010175"])] = ""
    e164: Annotated[str, Meta(description="O número inteiro no formato E.164.", examples=["+5521900010175"])] = ""
    region: Annotated[str, Meta(description="País, em duas letras (ISO 3166-1).", examples=["BR"])] = ""


class EmailQuestion(msgspec.Struct):
    """A string that may be an e-mail address."""

    email: Annotated[str, Meta(description="Endereço como foi digitado.", examples=["ana@pessoa.example"])]


class EmailVerdict(msgspec.Struct):
    """The result of checking an e-mail address. Only the format is checked: nothing is sent or looked up."""

    valid: _Valid
    message: _Message
    local_part: Annotated[str, Meta(description="O que vem antes da `@`, como digitado.", examples=["ana"])] = ""
    domain: Annotated[str, Meta(description="O domínio, em minúsculas.", examples=["pessoa.example"])] = ""
    normalized: Annotated[
        str, Meta(description="O endereço com o domínio em minúsculas.", examples=["ana@pessoa.example"])
    ] = ""
    validation_type: Annotated[
        str, Meta(description="O que foi verificado: só a forma.", examples=["format_and_structure"])
    ] = "format_and_structure"
