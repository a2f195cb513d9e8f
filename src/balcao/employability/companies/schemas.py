"""Wire types for companies (rules: employability 3.2)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.employability.lists import ListMeta, PageNumber
from balcao.employability.schemas import CreatedAt, UpdatedAt

DEFAULT_PER_PAGE = 10
MOST_PER_PAGE = 1000

Cnpj = Annotated[
    str, Meta(description="CNPJ, 14 caracteres sem pontuação; pode ter letras.", examples=["90000001000129"])
]
LegalName = Annotated[str, Meta(description="Razão social, de 1 a 500 caracteres.", examples=["Padaria Aurora Ltda."])]
TradeName = Annotated[str | None, Meta(description="Nome fantasia.", examples=["Padaria Aurora"])]
Description = Annotated[
    str | None, Meta(description="O que a empresa faz, até 5000 caracteres.", examples=["Pães e doces desde 1978."])
]
LogoAddress = Annotated[
    str | None, Meta(description="Endereço da marca, http ou https.", examples=["https://aurora.example/marca.png"])
]
Website = Annotated[str | None, Meta(description="Página, http ou https.", examples=["https://aurora.example"])]
Sector = Annotated[str | None, Meta(description="Setor de atividade.", examples=["Alimentação"])]
Size = Annotated[str | None, Meta(description="Porte.", examples=["Pequena"])]


class Company(msgspec.Struct):
    """A company that advertises jobs."""

    cnpj: Cnpj
    razao_social: LegalName
    nome_fantasia: TradeName
    descricao: Description
    url_logo: LogoAddress
    website: Website
    setor: Sector
    porte: Size
    created_at: CreatedAt
    updated_at: UpdatedAt


class CompanyBody(msgspec.Struct):
    """The data of a company in a request. An empty string counts as absent. Unknown members are ignored."""

    razao_social: LegalName
    cnpj: Annotated[
        str | None,
        Meta(
            description="CNPJ, com ou sem pontuação; obrigatório ao cadastrar, e igual ao do caminho ao alterar.",
            examples=["11222333000181"],
        ),
    ] = None
    nome_fantasia: TradeName = None
    descricao: Description = None
    url_logo: LogoAddress = None
    website: Website = None
    setor: Sector = None
    porte: Size = None


class Companies(msgspec.Struct):
    """A page of companies, sorted by trade name or, if a company has none, by legal name."""

    data: Annotated[list[Company], Meta(description="Empresas da página, por nome fantasia ou razão social.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


class CompanyQuery(msgspec.Struct):
    search: Annotated[
        str | None,
        Meta(description="Parte da razão social ou do nome fantasia, até 250 caracteres.", examples=["aurora"]),
    ] = None
    cnpj: Annotated[
        str | None, Meta(description="CNPJ exato, com ou sem pontuação.", examples=["90.000.001/0001-29"])
    ] = None
    page: PageNumber = 1
    pageSize: Annotated[  # noqa: N815 - named by the specification
        int, Meta(description="Itens por página; acima de 1000 vale 1000.", examples=[DEFAULT_PER_PAGE])
    ] = DEFAULT_PER_PAGE


class LegalEntityContact(msgspec.Struct):
    email: Annotated[str | None, Meta(description="E-mail.", examples=["contato@aurora.example"])]
    telefone: Annotated[str | None, Meta(description="Telefone com DDD.", examples=["2124000001"])]


class LegalEntityAddress(msgspec.Struct):
    logradouro: Annotated[str | None, Meta(description="Logradouro com o seu tipo.", examples=["Rua do Porto"])]
    numero: Annotated[str | None, Meta(description="Número.", examples=["100"])]
    complemento: Annotated[str | None, Meta(description="Complemento.", examples=["Loja 2"])]
    bairro: Annotated[str | None, Meta(description="Bairro.", examples=["Centro"])]
    municipio: Annotated[str | None, Meta(description="Município.", examples=["Porto Aurora"])]
    uf: Annotated[str | None, Meta(description="Sigla do estado.", examples=["RJ"])]
    cep: Annotated[str | None, Meta(description="CEP, 8 dígitos.", examples=["24000011"])]


class LegalEntity(msgspec.Struct):
    """A company in the city's registry. A member is null if the registry does not have it."""

    cnpj: Cnpj
    razao_social: Annotated[str | None, Meta(description="Razão social.", examples=["Padaria Aurora Ltda."])]
    nome_fantasia: TradeName
    situacao_cadastral: Annotated[str | None, Meta(description="Situação cadastral.", examples=["Ativa"])]
    cnae_fiscal: Annotated[str | None, Meta(description="Subclasse CNAE principal.", examples=["1091102"])]
    porte: Size
    contato: Annotated[LegalEntityContact, Meta(description="E-mail e telefone.")]
    endereco: Annotated[LegalEntityAddress, Meta(description="Endereço.")]
