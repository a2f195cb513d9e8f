"""Wire types of the versions."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

ValueType = Literal["string", "int", "float", "bool", "array", "object"]
Number = Annotated[int, Meta(ge=1, le=2_147_483_647)]
FromVersion = Annotated[Number, Meta(description="Versão de partida, um inteiro a partir de 1.", examples=[1])]
ToVersion = Annotated[Number, Meta(description="Versão de chegada, um inteiro a partir de 1.", examples=[3])]


class FieldChange(msgspec.Struct):
    """One member that differs; null on a side stands for no value."""

    field_name: Annotated[str, Meta(description="Campo do serviço que mudou.", examples=["documentos_necessarios"])]
    old_value: Annotated[Any, Meta(description="Valor na versão de partida; nulo se vazio.", examples=[["CPF"]])]
    new_value: Annotated[Any, Meta(description="Valor na versão de chegada; nulo se vazio.", examples=[["CPF", "RG"]])]
    value_type: Annotated[
        ValueType, Meta(description="Tipo do valor novo, ou do antigo quando o novo é nulo.", examples=["array"])
    ]


class Comparison(msgspec.Struct):
    """What changed (spec: service version comparison). Kind, instant and author are the target version's."""

    change_type: Annotated[
        str,
        Meta(
            description="Origem da versão nova: `create`, `update`, `publish`, `unpublish`, `delete`, `rollback`.",
            examples=["update"],
        ),
    ]
    changed_at: Annotated[int, Meta(description="Quando foi feita, em segundos Unix.", examples=[1791232200])]
    changed_by: Annotated[str, Meta(description="Nome de quem a fez.", examples=["Marta Queiroz"])]
    from_version: FromVersion
    to_version: ToVersion
    changes: Annotated[list[FieldChange], Meta(description="Campos que mudaram; vazio quando nenhum mudou.")]


class ComparisonQuery(msgspec.Struct):
    """Which two versions; `from_version` above `to_version` swaps old and new."""

    from_version: FromVersion
    to_version: ToVersion
