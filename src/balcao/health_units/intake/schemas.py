"""Wire types for the sources: the department's systems from which notifications are read."""

from typing import Annotated

import msgspec
from msgspec import Meta

_INSTANT = "2026-10-05T14:30:00-03:00"


class RiskSource(msgspec.Struct):
    """A system of the department, which is read every minute."""

    nome: Annotated[str, Meta(description="Nome da fonte, como está configurada.", examples=["secretaria"])]
    ouvida_em: Annotated[
        str | None, Meta(description="Última resposta da fonte; nula se nunca respondeu.", examples=[_INSTANT])
    ]
    mudou_em: Annotated[
        str | None, Meta(description="Última vez que o conteúdo era outro e foi lido.", examples=[_INSTANT])
    ]
    linhas: Annotated[int, Meta(description="Linhas do último conteúdo.", examples=[12])]
    recusadas: Annotated[int, Meta(description="Linhas dele que não puderam ser usadas.", examples=[0])]
    falhou_em: Annotated[str | None, Meta(description="Última leitura que falhou.", examples=[_INSTANT])]
    erro: Annotated[
        str | None,
        Meta(description="Código da falha; nulo quando a última leitura deu certo.", examples=["status-503"]),
    ]


class RiskSources(msgspec.Struct):
    """All configured sources that a worker has tried to read."""

    itens: Annotated[list[RiskSource], Meta(description="Por nome.")]
