"""Wire types for the legacy mappings (rules: search 4.7)."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, UnsetType

from balcao.core.errors import BalcaoError, Conflict
from balcao.core.http.dialects import Dialect, ErrorText

MappingId: TypeAlias = Annotated[
    str, Meta(description="Identificador do tombamento (UUID).", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"])
]
Source: TypeAlias = Annotated[str, Meta(description="Sistema antigo de que o número é.", examples=["1746_v2_llm"])]
OldId: TypeAlias = Annotated[
    str, Meta(description="Número do serviço no sistema antigo, de 1 a 200 caracteres.", examples=["4711"])
]
NewId: TypeAlias = Annotated[
    str,
    Meta(description="Serviço do catálogo que ele é agora (UUID).", examples=["5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10"]),
]
Notes: TypeAlias = Annotated[
    str, Meta(description="Observações, até 20000 caracteres.", examples=["Conferido com a central."])
]


class LegacyMapping(msgspec.Struct):
    """A mapping from a number in an old system to a service. `criado_em` is in Unix seconds."""

    id: MappingId
    origem: Source
    id_servico_antigo: OldId
    id_servico_novo: NewId
    criado_em: Annotated[int, Meta(description="Quando foi feito, em segundos Unix.", examples=[1791232200])]
    criado_por: Annotated[str, Meta(description="Nome de quem o fez.", examples=["Jorge Valente"])]
    observacoes: Notes | None


class LegacyMappings(msgspec.Struct):
    """A page of mappings, newest first. `out_of` counts all mappings, without the filters."""

    found: Annotated[int, Meta(description="Tombamentos que passam pelos filtros.", examples=[8])]
    out_of: Annotated[int, Meta(description="Tombamentos sem filtro nenhum.", examples=[8])]
    page: Annotated[int, Meta(description="Página devolvida.", examples=[1])]
    per_page: Annotated[int, Meta(description="Tombamentos por página.", examples=[10])]
    tombamentos: Annotated[list[LegacyMapping], Meta(description="Os tombamentos da página, dos mais novos.")]


class LegacyMappingBody(msgspec.Struct):
    """The body that creates or changes a mapping."""

    origem: Source
    id_servico_antigo: OldId
    id_servico_novo: NewId
    observacoes: Notes | None = None


class LegacyMappingQuery(msgspec.Struct):
    """Filters for the list."""

    page: Annotated[int, Meta(description="Página, a partir de 1.", examples=[1])] = 1
    per_page: Annotated[int, Meta(description="Tombamentos por página, até 100.", examples=[10])] = 10
    origem: Annotated[str | None, Meta(description="Sistema antigo.", examples=["1746_v2_llm"])] = None
    criado_por: Annotated[str | None, Meta(description="Nome de quem os fez.", examples=["Jorge Valente"])] = None
    id_servico_novo: Annotated[
        str | None, Meta(description="Serviço do catálogo.", examples=["5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10"])
    ] = None


class OldServiceQuery(msgspec.Struct):
    """The number of a service in an old system."""

    origem: Source
    id_servico_antigo: OldId


class MappingTaken(Conflict):
    """The old number already has the mapping `existing`."""

    default_message = "Este número do sistema antigo já tem um tombamento."
    default_code = "legacy-mapping-exists"

    def __init__(self, existing: LegacyMapping) -> None:
        super().__init__()
        self.existing = existing


class ErrorWithMapping(ErrorText):
    """The error body {error}. With status 409, it also contains the existing mapping."""

    tombamento_existente: Annotated[
        LegacyMapping | UnsetType, Meta(description="O tombamento que já existe; só com 409.")
    ] = msgspec.UNSET


def _word(fault: BalcaoError) -> ErrorWithMapping:
    return ErrorWithMapping(fault.message, fault.existing if isinstance(fault, MappingTaken) else msgspec.UNSET)


ERROR_WITH_MAPPING = Dialect(_word, ErrorWithMapping)
