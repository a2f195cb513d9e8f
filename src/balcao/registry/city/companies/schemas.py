"""Wire types of the companies (rules: registry 3.7): one type for the city's file and for the answers.

Every member is always answered; objects are never null, so that a portal may look into them.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from balcao.core.http.paging import PageQuery, Pagination
from balcao.core.imports.members import Code, Name, require_cpf
from balcao.core.values.cpf import Cpf
from balcao.core.values.days import require
from balcao.registry.city.companies.cnpj import is_cnpj


class CompanyCode(msgspec.Struct):
    id: str | None = None
    descricao: str | None = None


class CompanyRegistration(msgspec.Struct):
    id: str | None = None
    descricao: str | None = None
    data: str | None = None
    motivo_id: str | None = None
    motivo_descricao: str | None = None

    def __post_init__(self) -> None:
        require(self, "data")


class CompanySituation(msgspec.Struct):
    descricao: str | None = None
    data: str | None = None

    def __post_init__(self) -> None:
        require(self, "data")


class CompanyEntity(msgspec.Struct):
    id: str | None = None
    tipo: str | None = None


class CompanyPhone(msgspec.Struct):
    ddd: str | None = None
    telefone: str | None = None


class CompanyContact(msgspec.Struct):
    telefone: list[CompanyPhone] = []
    email: str | None = None


class CompanyAddress(msgspec.Struct):
    cep: str | None = None
    id_pais: str | None = None
    uf: str | None = None
    id_municipio: str | None = None
    municipio_nome: str | None = None
    municipio_exterior_nome: str | None = None
    bairro: str | None = None
    tipo_logradouro: str | None = None
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None


class CompanyAccountant(msgspec.Struct):
    """`id` is a CPF or a CNPJ."""

    id: str | None = None
    tipo_crc: str | None = None
    classificacao_crc: str | None = None
    sequencial_crc: str | None = None


class CompanyAccountants(msgspec.Struct):
    pf: CompanyAccountant = msgspec.field(default_factory=CompanyAccountant)
    pj: CompanyAccountant = msgspec.field(default_factory=CompanyAccountant)


class CompanyResponsible(msgspec.Struct):
    cpf: str | None = None
    qualificacao_id: str | None = None
    qualificacao_descricao: str | None = None
    inclusao_data: str | None = None

    def __post_init__(self) -> None:
        require(self, "inclusao_data")


class CompanyPartner(msgspec.Struct):
    tipo: str | None = None
    cpf_socio: str | None = None
    cnpj_socio: str | None = None
    qualificacao_socio: str | None = None
    data_situacao_especial: str | None = None
    codigo_pais: str | None = None
    nome_socio_estrangeiro: str | None = None
    cpf_representante_legal: str | None = None
    qualificacao_representante_legal: str | None = None

    def __post_init__(self) -> None:
        require(self, "data_situacao_especial")


class Company(msgspec.Struct, kw_only=True):
    id_: str = msgspec.field(name="_id", default="")
    cnpj: str
    razao_social: Name
    nome_fantasia: str | None = None
    capital_social: float | None = None
    cnae_fiscal: str | None = None
    cnae_secundarias: list[str] = []
    nire: str | None = None
    natureza_juridica: CompanyCode = msgspec.field(default_factory=CompanyCode)
    porte: CompanyCode = msgspec.field(default_factory=CompanyCode)
    matriz_filial: CompanyCode = msgspec.field(default_factory=CompanyCode)
    orgao_registro: CompanyCode = msgspec.field(default_factory=CompanyCode)
    inicio_atividade_data: str | None = None
    situacao_cadastral: CompanyRegistration = msgspec.field(default_factory=CompanyRegistration)
    situacao_especial: CompanySituation = msgspec.field(default_factory=CompanySituation)
    ente_federativo: CompanyEntity = msgspec.field(default_factory=CompanyEntity)
    contato: CompanyContact = msgspec.field(default_factory=CompanyContact)
    endereco: CompanyAddress = msgspec.field(default_factory=CompanyAddress)
    contador: CompanyAccountants = msgspec.field(default_factory=CompanyAccountants)
    responsavel: CompanyResponsible = msgspec.field(default_factory=CompanyResponsible)
    tipos_unidade: list[str] = []
    formas_atuacao: list[str] = []
    socios_quantidade: int | None = None
    socios: list[CompanyPartner] = []
    sucessoes: list[Any] = []
    language: str | None = None

    @property
    def members(self) -> set[Cpf]:
        """The responsible person and the partners who are people."""
        return {cpf for text in self._member_texts() if (cpf := Cpf.parse(text))}

    def _member_texts(self) -> Iterator[str | None]:
        yield self.responsavel.cpf
        yield from (partner.cpf_socio for partner in self.socios)


class CompanyRow(Company, kw_only=True):
    """One line of the city's file."""

    def __post_init__(self) -> None:
        if not is_cnpj(self.cnpj):
            raise ValueError("O campo `cnpj` deve ter 14 caracteres, com dígitos verificadores corretos.")
        require(self, "inicio_atividade_data")
        require_cpf("responsavel.cpf", self.responsavel.cpf)
        for partner in self.socios:
            require_cpf("socios.cpf_socio", partner.cpf_socio)
            require_cpf("socios.cpf_representante_legal", partner.cpf_representante_legal)


class Companies(msgspec.Struct):
    data: list[Company]
    pagination: Pagination


class CompanyQuery(PageQuery):
    natureza_juridica_id: Code | None = None
