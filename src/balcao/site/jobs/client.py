"""The operations of employability that the area calls. The types contain only the members that its pages use."""

from datetime import datetime

import msgspec


class Named(msgspec.Struct):
    """An entry of a reference table."""

    descricao: str


class Choice(Named):
    id: str


class Choices(msgspec.Struct):
    data: list[Choice]


class Language(msgspec.Struct):
    idioma: Named
    nivel_minimo: Named


class Company(msgspec.Struct):
    cnpj: str
    razao_social: str
    nome_fantasia: str | None = None
    descricao: str | None = None
    setor: str | None = None
    porte: str | None = None
    website: str | None = None

    @property
    def name(self) -> str:
        return self.nome_fantasia or self.razao_social


class Department(msgspec.Struct):
    name: str


class Step(msgspec.Struct):
    titulo: str
    descricao: str | None


class Job(msgspec.Struct):
    id: str
    slug: str
    status: str
    titulo: str
    descricao: str | None
    requisitos: str | None
    diferenciais: str | None
    responsabilidades: str | None
    beneficios: str | None
    bairro: str | None
    valor_vaga: float | None
    quantidade_estimada_contratacoes: int | None
    acessibilidade_pcd: str | None
    idade_minima: int | None
    idade_maxima: int | None
    data_limite: datetime | None
    publicado_em: datetime | None
    contratante: Company | None
    regime_contratacao: Named | None
    modelo_trabalho: Named | None
    escolaridade_minima: Named | None
    orgao_parceiro: Department | None
    tipos_pcd: list[Named]
    idiomas_requisito: list[Language]
    etapas: list[Step] = []
    informacoes_complementares: list[object] = []

    @property
    def is_open(self) -> bool:
        """Whether the job accepts applications, according to the service."""
        return self.status == "publicado_ativo"

    @property
    def company_name(self) -> str:
        return self.contratante.name if self.contratante else ""


class Total(msgspec.Struct):
    total: int


class Jobs(msgspec.Struct):
    data: list[Job]
    meta: Total
