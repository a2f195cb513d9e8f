"""Wire types of jobs as they are answered (rules: employability 3.3)."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from balcao.employability.companies.schemas import Cnpj, Company
from balcao.employability.hiring.departments.schemas import Department
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.lists import ListMeta
from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.schemas import CreatedAt, UpdatedAt

ID_EXAMPLE = "49c67c23-c0e7-5c39-9de9-0645636b4e4e"

JobId = Annotated[UUID, Meta(description="Identificador da vaga (UUID).", examples=[ID_EXAMPLE])]
Title = Annotated[str, Meta(description="Título, de 1 a 500 caracteres.", examples=["Confeiteiro"])]
StepTitle = Annotated[str, Meta(description="Título da etapa, de 1 a 500 caracteres.", examples=["Entrevista"])]
StepText = Annotated[
    str,
    Meta(
        description="O que acontece na etapa, até 5000 caracteres; só pode faltar enquanto a vaga está em edição.",
        examples=["Conversa com a equipe, na padaria."],
    ),
]
Place = Annotated[int, Meta(description="Lugar da etapa, de 1 em diante, sem lacunas.", examples=[1])]
Reason = Annotated[str | None, Meta(description="Motivo informado, até 500 caracteres.", examples=["Falta o salário."])]


class Step(msgspec.Struct):
    """A step of the selection process."""

    id: Annotated[UUID, Meta(description="Identificador da etapa (UUID).", examples=[ID_EXAMPLE])]
    id_vaga: JobId
    titulo: StepTitle
    descricao: StepText
    ordem: Place
    created_at: CreatedAt
    updated_at: UpdatedAt


class Question(msgspec.Struct):
    """A question that candidates answer."""

    id: Annotated[UUID, Meta(description="Identificador da pergunta (UUID).", examples=[ID_EXAMPLE])]
    id_vaga: JobId
    titulo: Annotated[str, Meta(description="A pergunta.", examples=["Quantos anos de experiência você tem?"])]
    obrigatorio: Annotated[bool, Meta(description="Se precisa ser respondida.", examples=[True])]
    tipo_campo: Annotated[
        str,
        Meta(
            description="`resposta_curta`, `resposta_numerica`, `selecao_unica` ou `selecao_multipla`.",
            examples=["resposta_numerica"],
        ),
    ]
    valor_minimo: Annotated[int | None, Meta(description="Menor número aceito.", examples=[0])]
    valor_maximo: Annotated[int | None, Meta(description="Maior número aceito.", examples=[50])]
    opcoes: Annotated[list[str] | None, Meta(description="Opções das perguntas de seleção.", examples=[["Sim", "Não"]])]
    created_at: CreatedAt
    updated_at: UpdatedAt


class LanguageRequirement(msgspec.Struct):
    """A language and the least level of it."""

    id_idioma: Annotated[UUID, Meta(description="Idioma (UUID).", examples=[ID_EXAMPLE])]
    id_nivel_minimo: Annotated[UUID, Meta(description="Nível mínimo (UUID).", examples=[ID_EXAMPLE])]
    idioma: Annotated[ReferenceValue, Meta(description="O idioma.")]
    nivel_minimo: Annotated[ReferenceValue, Meta(description="O nível mínimo.")]


class JobItem(msgspec.Struct, kw_only=True):
    """A job in a list."""

    id: JobId
    slug: Annotated[str, Meta(description="Nome para endereços de páginas.", examples=["confeiteiro-49c67c23c0e7"])]
    titulo: Title
    descricao: Annotated[str, Meta(description="Descrição, em Markdown.", examples=["Preparo de bolos e doces."])]
    status: Annotated[
        JobStatus,
        Meta(
            description="Situação; `publicado_expirado` é a de uma vaga publicada cuja `data_limite` passou.",
            examples=["publicado_ativo"],
        ),
    ]
    id_contratante: Cnpj
    contratante: Annotated[Company, Meta(description="A empresa.")]
    id_regime_contratacao: Annotated[UUID, Meta(description="Regime de contratação (UUID).", examples=[ID_EXAMPLE])]
    regime_contratacao: Annotated[ReferenceValue, Meta(description="O regime de contratação.")]
    id_modelo_trabalho: Annotated[UUID, Meta(description="Modelo de trabalho (UUID).", examples=[ID_EXAMPLE])]
    modelo_trabalho: Annotated[ReferenceValue, Meta(description="O modelo de trabalho.")]
    id_orgao_parceiro: Annotated[str | None, Meta(description="Código do órgão (`cd_ua`).", examples=["1100"])]
    orgao_parceiro: Annotated[Department | None, Meta(description="O órgão; nulo em uma vaga sem órgão.")]
    bairro: Annotated[str | None, Meta(description="Bairro do local de trabalho.", examples=["Centro"])]
    data_limite: Annotated[
        datetime | None, Meta(description="Até quando se aceita candidatura.", examples=["2026-12-01T02:59:59Z"])
    ]
    requisitos: Annotated[str | None, Meta(description="Requisitos.", examples=["Experiência em confeitaria."])]
    diferenciais: Annotated[str | None, Meta(description="Diferenciais.", examples=["Curso técnico."])]
    responsabilidades: Annotated[str | None, Meta(description="Responsabilidades.", examples=["Preparar bolos."])]
    beneficios: Annotated[str | None, Meta(description="Benefícios.", examples=["Vale-transporte."])]
    valor_vaga: Annotated[float | None, Meta(description="Remuneração em reais.", examples=[2100.5])]
    quantidade_estimada_contratacoes: Annotated[
        int | None, Meta(description="Quantas pessoas se espera contratar.", examples=[2])
    ]
    acessibilidade_pcd: Annotated[
        str | None,
        Meta(description="`para_pcd`, `preferencial_pcd` ou `exclusivo_pcd`.", examples=["preferencial_pcd"]),
    ]
    tipos_pcd: Annotated[list[ReferenceValue], Meta(description="Tipos de deficiência a que a vaga se destina.")]
    idade_minima: Annotated[int | None, Meta(description="Idade mínima.", examples=[18])]
    idade_maxima: Annotated[int | None, Meta(description="Idade máxima.", examples=[24])]
    id_escolaridade_minima: Annotated[
        UUID | None, Meta(description="Escolaridade mínima (UUID).", examples=[ID_EXAMPLE])
    ]
    escolaridade_minima: Annotated[ReferenceValue | None, Meta(description="A escolaridade mínima.")]
    bairros_elegibilidade: Annotated[
        list[str], Meta(description="Bairros em que é preciso morar; vazio para todos.", examples=[["Centro"]])
    ]
    areas_formacao_elegibilidade: Annotated[
        list[str], Meta(description="Áreas de formação aceitas; vazio para todas.", examples=[["Nutrição"]])
    ]
    zonas: Annotated[list[ReferenceValue], Meta(description="Zonas da cidade.")]
    idiomas_requisito: Annotated[list[LanguageRequirement], Meta(description="Idiomas exigidos.")]
    publicado_em: Annotated[
        datetime | None, Meta(description="Primeira publicação, em UTC.", examples=["2026-10-05T14:30:00Z"])
    ]
    created_at: CreatedAt
    updated_at: UpdatedAt


class Job(JobItem, kw_only=True):
    """A whole job, as anybody may see it once it is published."""

    etapas: Annotated[list[Step], Meta(description="Etapas do processo seletivo, em ordem.")]
    informacoes_complementares: Annotated[list[Question], Meta(description="Perguntas, em ordem.")]


class JobSummary(msgspec.Struct):
    """A job as an application shows it, also after the job was deleted."""

    id: JobId
    slug: Annotated[str, Meta(description="Nome para endereços de páginas.", examples=["confeiteiro-49c67c23c0e7"])]
    titulo: Title
    status: Annotated[
        JobStatus,
        Meta(
            description="Situação da vaga; a de uma excluída é `vaga_descontinuada`.",
            examples=["publicado_ativo"],
        ),
    ]
    data_limite: Annotated[
        datetime | None, Meta(description="Até quando se aceita candidatura.", examples=["2026-12-01T02:59:59Z"])
    ]
    contratante: Annotated[Company, Meta(description="A empresa.")]
    etapas: Annotated[list[Step], Meta(description="Etapas do processo seletivo, em ordem.")]
    informacoes_complementares: Annotated[list[Question], Meta(description="Perguntas, em ordem.")]


class StaffJob(Job, kw_only=True):
    """A whole job, as staff see it."""

    acoes_permitidas: Annotated[
        list[str],
        Meta(
            description="Mudanças de situação que quem chama pode fazer agora.",
            examples=[["freeze", "discontinue"]],
        ),
    ]


class Jobs(msgspec.Struct):
    """A page of jobs."""

    data: Annotated[list[JobItem], Meta(description="Vagas da página, sem etapas e perguntas.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]


class JobChanged(msgspec.Struct):
    """The success of a transition; a portal that saves and publishes in one go reads the id."""

    message: Annotated[str, Meta(description="O que foi feito.", examples=["Vaga publicada."])]
    id: JobId


class HistoryEntry(msgspec.Struct):
    """What happened to a job."""

    de: Annotated[str | None, Meta(description="Situação anterior; nula na criação.", examples=["em_aprovacao"])]
    evento: Annotated[str, Meta(description="O que houve.", examples=["publish"])]
    para: Annotated[str, Meta(description="Situação seguinte.", examples=["publicado_ativo"])]
    em: Annotated[datetime, Meta(description="Quando, em UTC.", examples=["2026-10-05T14:30:00Z"])]
    por: Annotated[str, Meta(description="Nome de quem fez.", examples=["Hélio Lima"])]
    motivo: Reason


class History(msgspec.Struct):
    """A page of a job's history."""

    data: Annotated[list[HistoryEntry], Meta(description="O que houve com a vaga, do mais novo ao mais antigo.")]
    meta: Annotated[ListMeta, Meta(description="A página e o total.")]
