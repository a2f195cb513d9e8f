"""Wire types for files (rules: registry 4.18)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.files.detection import MediaType
from balcao.core.values.page import Pagination
from balcao.registry.members import CreatedAt
from balcao.registry.person.files.paths import EXAMPLE


class CitizenFile(msgspec.Struct, kw_only=True):
    """The description of a file that a citizen sent, without the content."""

    id: Annotated[str, Meta(description="Id do arquivo.", examples=[EXAMPLE])]
    media_type: Annotated[MediaType, Meta(description="Tipo, visto no conteúdo.", examples=["image/jpeg"])]
    size: Annotated[int, Meta(description="Tamanho do que se baixa, em bytes.", examples=[482133])]
    sha256: Annotated[
        str,
        Meta(
            description="SHA-256 do que se baixa, em hexadecimal.",
            examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        ),
    ]
    width: Annotated[int | None, Meta(description="Largura da imagem, em pixels; nula em um PDF.", examples=[1600])]
    height: Annotated[int | None, Meta(description="Altura da imagem, em pixels; nula em um PDF.", examples=[1200])]
    created_at: CreatedAt
    expires_at: Annotated[
        datetime | None,
        Meta(
            description="Quando o arquivo será excluído se nenhum cadastro o usar (RFC 3339); nulo se algum o usa.",
            examples=["2026-03-03T12:30:00Z"],
        ),
    ]


class CitizenFiles(msgspec.Struct):
    """A page of a citizen's files."""

    data: Annotated[list[CitizenFile], Meta(description="Arquivos, do mais novo ao mais antigo.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de arquivos.")]


class ExportedFile(CitizenFile, kw_only=True):
    """A file in a person's data export. The content is downloaded separately."""

    download: Annotated[
        str,
        Meta(
            description="Caminho de onde a própria pessoa baixa o conteúdo, com o seu login.",
            examples=[f"/registry/v1/citizen/90000000175/files/{EXAMPLE}/content"],
        ),
    ]
