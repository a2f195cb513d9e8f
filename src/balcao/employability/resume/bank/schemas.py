"""Wire types for the resume bank."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.employability.lists import ListMeta, PageNumber
from balcao.employability.resume.overview.schemas import Resume

DEFAULT_PER_PAGE = 10
MOST_PER_PAGE = 100

MaskedCpf = Annotated[str, Meta(description="CPF mascarado.", examples=["***.000.001-**"])]
Name = Annotated[
    str | None,
    Meta(description="Nome no cadastro da cidade; nulo enquanto não foi lido.", examples=["Ana Beatriz Moreira"]),
]
SocialName = Annotated[str | None, Meta(description="Nome social.", examples=["Bia Moreira"])]
Occupation = Annotated[
    str | None, Meta(description="Cargo do trabalho atual, ou do último informado.", examples=["Recepcionista"])
]
Schooling = Annotated[
    str | None,
    Meta(
        description="A maior escolaridade concluída ou, sem nenhuma, a maior informada.", examples=["Superior completo"]
    ),
]
IncludedAt = Annotated[
    datetime, Meta(description="Quando aceitou os termos (RFC 3339).", examples=["2026-03-02T14:05:09.120000Z"])
]
EntryId = Annotated[
    UUID, Meta(description="Identificador no banco (UUID).", examples=["5f0c2f0e-8a55-4a6c-9a43-1f7a7c1d2b10"])
]


class BankEntry(msgspec.Struct):
    """A person in a list of the resume bank."""

    id: EntryId
    cpf: MaskedCpf
    nome: Name
    nome_social: SocialName
    profissao: Occupation
    escolaridade: Schooling
    data_inclusao: IncludedAt


class BankEntries(msgspec.Struct):
    """A page of the resume bank, newest first."""

    data: Annotated[list[BankEntry], Meta(description="Pessoas da página, a inclusão mais nova primeiro.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


class BankResume(msgspec.Struct):
    """A person of the resume bank, with their resume and registry data.

    A member is null if neither the resume nor the registry contains a value for it.
    """

    id: EntryId
    cpf: MaskedCpf
    nome: Name
    nome_social: SocialName
    data_inclusao: IncludedAt
    profissao: Occupation
    escolaridade: Schooling
    bairro: Annotated[str | None, Meta(description="Bairro do endereço principal.", examples=["Centro"])]
    celular: Annotated[
        str | None, Meta(description="Telefone principal com DDD; de outro país com `+`.", examples=["21900010175"])
    ]
    genero: Annotated[str | None, Meta(description="Gênero declarado.", examples=["Mulher cisgênero"])]
    idade: Annotated[int | None, Meta(description="Anos completos.", examples=[29])]
    curriculo: Annotated[Resume, Meta(description="O currículo completo, com o CPF mascarado.")]


class BankQuery(msgspec.Struct):
    search: Annotated[
        str | None,
        Meta(description="Parte do nome ou do nome social, até 250 caracteres.", examples=["moreira"]),
    ] = None
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int, Meta(description="Itens por página; acima de 100 vale 100.", examples=[DEFAULT_PER_PAGE])
    ] = DEFAULT_PER_PAGE
