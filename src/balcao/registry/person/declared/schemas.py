"""Wire types for the self-declared fields (rules: registry 2.3)."""

from typing import Annotated

import msgspec
from msgspec import Meta

_NONE = "Todos os seis obrigatórios com o texto `null` removem o endereço."


class GenderBody(msgspec.Struct):
    """A gender to declare, as free text (spec: self-declared gender)."""

    valor: Annotated[
        str,
        Meta(
            description="Gênero, texto livre de 1 a 1000 caracteres; as sugestões estão em `/citizen/gender/options`.",
            examples=["Mulher cisgênero"],
        ),
    ]


class ValueBody(msgspec.Struct):
    """A value to declare."""

    valor: Annotated[
        str,
        Meta(
            description=(
                "O valor declarado: um endereço de e-mail, um nome de até 255 caracteres ou, onde há lista de opções, "
                "uma delas, exata."
            ),
            examples=["Bia"],
        ),
    ]


class AddressBody(msgspec.Struct):
    """An address to declare. If all six required members are the string `null`, the declared address is removed."""

    logradouro: Annotated[
        str, Meta(description=f"Nome do logradouro, de 1 a 200 caracteres. {_NONE}", examples=["das Marés"])
    ]
    numero: Annotated[str, Meta(description="Número na via, de 1 a 20 caracteres.", examples=["120"])]
    municipio: Annotated[str, Meta(description="Município, de 1 a 100 caracteres.", examples=["Porto Aurora"])]
    estado: Annotated[
        str, Meta(description="Estado: a sigla ou o nome; o de uma unidade da federação vira a sigla.", examples=["RJ"])
    ]
    bairro: Annotated[str, Meta(description="Bairro, até 100 caracteres; pode ser vazio.", examples=["Praia Grande"])]
    cep: Annotated[
        str,
        Meta(
            description="CEP, 8 dígitos com ou sem hífen; vazio ou `Não informado` se não se sabe.",
            examples=["24000-120"],
        ),
    ]
    complemento: Annotated[str | None, Meta(description="Complemento, até 100 caracteres.", examples=["apto 301"])] = (
        None
    )
    tipo_logradouro: Annotated[
        str | None, Meta(description="Tipo do logradouro, até 50 caracteres.", examples=["Rua"])
    ] = None
