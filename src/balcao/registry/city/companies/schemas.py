"""Wire types for companies (rules: registry 3.7). The import file and the responses share them.

Every member is always present. Objects are never null, so portals can read their members without a check.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from balcao.core.http.paging import MenuPageQuery
from balcao.core.imports.members import Code, Name, require_cpf
from balcao.core.values.cnpj import is_cnpj
from balcao.core.values.cpf import Cpf
from balcao.core.values.days import require_day
from balcao.core.values.page import Pagination


class CompanyCode(msgspec.Struct):
    """A code from a national table, with its description."""

    id: Annotated[str | None, Meta(description="Código na tabela nacional.", examples=["2062"])] = None
    descricao: Annotated[
        str | None, Meta(description="Descrição do código.", examples=["Sociedade Empresária Limitada"])
    ] = None


class CompanyRegistration(msgspec.Struct):
    """The company's registration status."""

    id: Annotated[str | None, Meta(description="Código da situação cadastral.", examples=["2"])] = None
    descricao: Annotated[str | None, Meta(description="Situação cadastral.", examples=["Ativa"])] = None
    data: Annotated[
        str | None,
        Meta(
            description="Data da situação: meia-noite no fuso da cidade (RFC 3339).",
            examples=["2015-03-02T00:00:00-03:00"],
        ),
    ] = None
    motivo_id: Annotated[str | None, Meta(description="Código do motivo.", examples=["0"])] = None
    motivo_descricao: Annotated[str | None, Meta(description="Motivo da situação.", examples=["Sem motivo"])] = None

    def __post_init__(self) -> None:
        require_day(self, "data")


class CompanySituation(msgspec.Struct):
    """A special situation of the company, such as bankruptcy."""

    descricao: Annotated[str | None, Meta(description="Situação especial.", examples=["Em recuperação judicial"])] = (
        None
    )
    data: Annotated[
        str | None, Meta(description="Data da situação especial (RFC 3339).", examples=["2020-05-04T00:00:00-03:00"])
    ] = None

    def __post_init__(self) -> None:
        require_day(self, "data")


class CompanyEntity(msgspec.Struct):
    """The public entity that owns a public company."""

    id: Annotated[str | None, Meta(description="Código do ente federativo.", examples=["3300100"])] = None
    tipo: Annotated[str | None, Meta(description="Tipo do ente federativo.", examples=["Município"])] = None


class CompanyPhone(msgspec.Struct):
    """A phone number of the company."""

    ddd: Annotated[str | None, Meta(description="DDD.", examples=["21"])] = None
    telefone: Annotated[str | None, Meta(description="Número, sem DDD.", examples=["24000001"])] = None


class CompanyContact(msgspec.Struct):
    """The company's contact data."""

    telefone: Annotated[list[CompanyPhone], Meta(description="Telefones da empresa.")] = []
    email: Annotated[str | None, Meta(description="E-mail da empresa.", examples=["contato@empresa1.example"])] = None


class CompanyAddress(msgspec.Struct):
    """The company's address."""

    cep: Annotated[str | None, Meta(description="CEP, 8 dígitos.", examples=["24000011"])] = None
    id_pais: Annotated[str | None, Meta(description="Código do país.", examples=["105"])] = None
    uf: Annotated[str | None, Meta(description="Sigla do estado.", examples=["RJ"])] = None
    id_municipio: Annotated[str | None, Meta(description="Código do município.", examples=["3300100"])] = None
    municipio_nome: Annotated[str | None, Meta(description="Município.", examples=["Porto Aurora"])] = None
    municipio_exterior_nome: Annotated[
        str | None, Meta(description="Cidade, quando fora do Brasil.", examples=["Lisboa"])
    ] = None
    bairro: Annotated[str | None, Meta(description="Bairro.", examples=["Centro"])] = None
    tipo_logradouro: Annotated[str | None, Meta(description="Tipo do logradouro.", examples=["Rua"])] = None
    logradouro: Annotated[str | None, Meta(description="Logradouro.", examples=["do Porto"])] = None
    numero: Annotated[str | None, Meta(description="Número.", examples=["100"])] = None
    complemento: Annotated[str | None, Meta(description="Complemento.", examples=["Loja 2"])] = None


class CompanyAccountant(msgspec.Struct):
    """One of the company's accountants. `id` is a CPF or a CNPJ."""

    id: Annotated[
        str | None,
        Meta(description="CPF (mascarado para outras pessoas) ou CNPJ do contador.", examples=["***.000.001-**"]),
    ] = None
    tipo_crc: Annotated[str | None, Meta(description="Tipo do registro no CRC.", examples=["O"])] = None
    classificacao_crc: Annotated[str | None, Meta(description="Classificação no CRC.", examples=["Profissional"])] = (
        None
    )
    sequencial_crc: Annotated[str | None, Meta(description="Número no CRC.", examples=["012345"])] = None


class CompanyAccountants(msgspec.Struct):
    """The company's accountants: a person and a firm."""

    pf: Annotated[CompanyAccountant, Meta(description="O contador pessoa física.")] = msgspec.field(
        default_factory=CompanyAccountant
    )
    pj: Annotated[CompanyAccountant, Meta(description="O escritório de contabilidade.")] = msgspec.field(
        default_factory=CompanyAccountant
    )


class CompanyResponsible(msgspec.Struct):
    """The person responsible for the company."""

    cpf: Annotated[
        str | None,
        Meta(description="CPF: completo para a própria pessoa, mascarado para as outras.", examples=["***.000.001-**"]),
    ] = None
    qualificacao_id: Annotated[str | None, Meta(description="Código da qualificação.", examples=["49"])] = None
    qualificacao_descricao: Annotated[
        str | None, Meta(description="Qualificação.", examples=["Sócio-Administrador"])
    ] = None
    inclusao_data: Annotated[
        str | None, Meta(description="Desde quando é responsável (RFC 3339).", examples=["2015-03-02T00:00:00-03:00"])
    ] = None

    def __post_init__(self) -> None:
        require_day(self, "inclusao_data")


class CompanyPartner(msgspec.Struct):
    """A partner in the company: a person, a company or a foreigner."""

    tipo: Annotated[
        str | None, Meta(description="Tipo do sócio: 1 empresa, 2 pessoa, 3 estrangeiro.", examples=["2"])
    ] = None
    cpf_socio: Annotated[
        str | None,
        Meta(
            description="CPF do sócio: completo para a própria pessoa, mascarado para as outras.",
            examples=["***.000.001-**"],
        ),
    ] = None
    cnpj_socio: Annotated[str | None, Meta(description="CNPJ do sócio que é empresa.", examples=["90000002000173"])] = (
        None
    )
    qualificacao_socio: Annotated[str | None, Meta(description="Código da qualificação do sócio.", examples=["49"])] = (
        None
    )
    data_situacao_especial: Annotated[
        str | None, Meta(description="Data da situação especial (RFC 3339).", examples=["2020-05-04T00:00:00-03:00"])
    ] = None
    codigo_pais: Annotated[str | None, Meta(description="Código do país do sócio estrangeiro.", examples=["105"])] = (
        None
    )
    nome_socio_estrangeiro: Annotated[
        str | None, Meta(description="Nome do sócio estrangeiro.", examples=["John Smith"])
    ] = None
    cpf_representante_legal: Annotated[
        str | None,
        Meta(description="CPF do representante legal, mascarado para outras pessoas.", examples=["***.000.002-**"]),
    ] = None
    qualificacao_representante_legal: Annotated[
        str | None, Meta(description="Código da qualificação do representante.", examples=["05"])
    ] = None

    def __post_init__(self) -> None:
        require_day(self, "data_situacao_especial")


class Company(msgspec.Struct, kw_only=True):
    """A company in the city's register."""

    id_: Annotated[str, Meta(description="Id do registro na carga da cidade.", examples=["demo-company-1"])] = (
        msgspec.field(name="_id", default="")
    )
    cnpj: Annotated[str, Meta(description="CNPJ sem pontuação; pode ter letras.", examples=["90000001000129"])]
    razao_social: Annotated[Name, Meta(description="Razão social.", examples=["Padaria Aurora Ltda."])]
    nome_fantasia: Annotated[str | None, Meta(description="Nome fantasia.", examples=["Padaria Aurora"])] = None
    capital_social: Annotated[float | None, Meta(description="Capital social, em reais.", examples=[50000.0])] = None
    cnae_fiscal: Annotated[str | None, Meta(description="Subclasse CNAE principal.", examples=["1091102"])] = None
    cnae_secundarias: Annotated[
        list[str], Meta(description="Subclasses CNAE secundárias.", examples=[["4721102"]])
    ] = []
    nire: Annotated[str | None, Meta(description="Número na junta comercial.", examples=["33200000001"])] = None
    natureza_juridica: Annotated[CompanyCode, Meta(description="Natureza jurídica.")] = msgspec.field(
        default_factory=CompanyCode
    )
    porte: Annotated[CompanyCode, Meta(description="Porte.")] = msgspec.field(default_factory=CompanyCode)
    matriz_filial: Annotated[CompanyCode, Meta(description="Se é matriz ou filial.")] = msgspec.field(
        default_factory=CompanyCode
    )
    orgao_registro: Annotated[CompanyCode, Meta(description="Órgão em que está registrada.")] = msgspec.field(
        default_factory=CompanyCode
    )
    inicio_atividade_data: Annotated[
        str | None,
        Meta(
            description="Início da atividade: meia-noite no fuso da cidade (RFC 3339).",
            examples=["2015-03-02T00:00:00-03:00"],
        ),
    ] = None
    situacao_cadastral: Annotated[CompanyRegistration, Meta(description="Situação cadastral.")] = msgspec.field(
        default_factory=CompanyRegistration
    )
    situacao_especial: Annotated[CompanySituation, Meta(description="Situação especial, se houver.")] = msgspec.field(
        default_factory=CompanySituation
    )
    ente_federativo: Annotated[CompanyEntity, Meta(description="Ente federativo, para empresas públicas.")] = (
        msgspec.field(default_factory=CompanyEntity)
    )
    contato: Annotated[CompanyContact, Meta(description="Contato.")] = msgspec.field(default_factory=CompanyContact)
    endereco: Annotated[CompanyAddress, Meta(description="Endereço.")] = msgspec.field(default_factory=CompanyAddress)
    contador: Annotated[CompanyAccountants, Meta(description="Contadores.")] = msgspec.field(
        default_factory=CompanyAccountants
    )
    responsavel: Annotated[CompanyResponsible, Meta(description="Pessoa responsável.")] = msgspec.field(
        default_factory=CompanyResponsible
    )
    tipos_unidade: Annotated[list[str], Meta(description="Tipos da unidade.", examples=[["Unidade produtiva"]])] = []
    formas_atuacao: Annotated[
        list[str], Meta(description="Formas de atuação.", examples=[["Estabelecimento fixo"]])
    ] = []
    socios_quantidade: Annotated[int | None, Meta(description="Número de sócios.", examples=[2])] = None
    socios: Annotated[list[CompanyPartner], Meta(description="Sócios.")] = []
    sucessoes: Annotated[list[Any], Meta(description="Sucessões, como a cidade as carregou.")] = []
    language: Annotated[str | None, Meta(description="Idioma do registro.", examples=["pt"])] = None

    @property
    def members(self) -> set[Cpf]:
        """The CPFs of the responsible person and of the partners who are people."""
        return {cpf for text in self._iterate_cpf_texts() if (cpf := Cpf.parse(text))}

    def _iterate_cpf_texts(self) -> Iterator[str | None]:
        yield self.responsavel.cpf
        yield from (partner.cpf_socio for partner in self.socios)


class CompanyRow(Company, kw_only=True):
    """A row in the import file."""

    def __post_init__(self) -> None:
        if not is_cnpj(self.cnpj):
            raise ValueError("O campo `cnpj` deve ter 14 caracteres, com dígitos verificadores corretos.")
        require_day(self, "inicio_atividade_data")
        require_cpf("responsavel.cpf", self.responsavel.cpf)
        for partner in self.socios:
            require_cpf("socios.cpf_socio", partner.cpf_socio)
            require_cpf("socios.cpf_representante_legal", partner.cpf_representante_legal)


class Companies(msgspec.Struct):
    """A page of a person's companies."""

    data: Annotated[list[Company], Meta(description="Empresas, por CNPJ.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de empresas.")]


class CompanyQuery(MenuPageQuery):
    """The filter of the company list."""

    natureza_juridica_id: Annotated[
        Code | None, Meta(description="Só empresas desta natureza jurídica: o código.", examples=["2062"])
    ] = None
