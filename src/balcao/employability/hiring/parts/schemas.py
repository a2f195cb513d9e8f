"""Wire types for the parts of a job (rules: employability 2.5)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.employability.hiring.content.schemas import ID_EXAMPLE, LanguageBody, Step
from balcao.employability.lists import ListMeta

Ids = Annotated[list[str], Meta(description="Identificadores (UUIDs), no máximo 20.", examples=[[ID_EXAMPLE]])]


class DisabilityTypesBody(msgspec.Struct):
    tipos_pcd_ids: Ids


class ZonesBody(msgspec.Struct):
    zona_ids: Ids


class LanguagesBody(msgspec.Struct):
    requisitos: Annotated[list[LanguageBody], Meta(description="Idiomas com o nível mínimo, no máximo 10.")]


class Steps(msgspec.Struct):
    """All steps of a job."""

    data: Annotated[list[Step], Meta(description="Etapas, em ordem.")]
    meta: Annotated[ListMeta, Meta(description="A única página e o total.")]
