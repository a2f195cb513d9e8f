"""Wire types for a job's content.

Staff can send a job back in the form in which they received it (rules: employability 2.5, 3.3).
"""

from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.schemas import CreatedAt, UpdatedAt

ID_EXAMPLE = "49c67c23-c0e7-5c39-9de9-0645636b4e4e"

JobId = Annotated[UUID, Meta(description="Identificador da vaga (UUID).", examples=[ID_EXAMPLE])]
StepTitle = Annotated[str, Meta(description="Título da etapa, de 1 a 500 caracteres.", examples=["Entrevista"])]
StepText = Annotated[
    str,
    Meta(
        description="O que acontece na etapa, até 5000 caracteres; só pode faltar enquanto a vaga está em edição.",
        examples=["Conversa com a equipe, na padaria."],
    ),
]
Place = Annotated[int, Meta(description="Lugar da etapa, de 1 em diante, sem lacunas.", examples=[1])]


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
    """A language and its minimum level."""

    id_idioma: Annotated[UUID, Meta(description="Idioma (UUID).", examples=[ID_EXAMPLE])]
    id_nivel_minimo: Annotated[UUID, Meta(description="Nível mínimo (UUID).", examples=[ID_EXAMPLE])]
    idioma: Annotated[ReferenceValue, Meta(description="O idioma.")]
    nivel_minimo: Annotated[ReferenceValue, Meta(description="O nível mínimo.")]


# Clients may send their own ids, in any format. An item with an unknown id counts as new.
ForeignId = Annotated[
    str | int | None,
    Meta(description="Id do que já existe nesta vaga; outro valor, ou nenhum, acrescenta.", examples=[ID_EXAMPLE]),
]
OptionalText = str | UnsetType | None
# The largest integer that a JavaScript client can represent exactly.
_LARGEST = 2**53 - 1
QuestionKind = Literal["resposta_curta", "resposta_numerica", "selecao_unica", "selecao_multipla"]


class ReferenceId(msgspec.Struct):
    """The id of a reference value. Clients may send the value's whole record, of which only `id` is read."""

    id: Annotated[str, Meta(description="Identificador (UUID).", examples=[ID_EXAMPLE])]


class LanguageBody(msgspec.Struct):
    id_idioma: Annotated[str, Meta(description="Idioma (UUID).", examples=[ID_EXAMPLE])]
    id_nivel_minimo: Annotated[str, Meta(description="Nível mínimo (UUID).", examples=[ID_EXAMPLE])]


class StepBody(msgspec.Struct):
    titulo: Annotated[str, Meta(description="Título, de 1 a 500 caracteres.", examples=["Entrevista"])]
    descricao: Annotated[
        str | None, Meta(description="O que acontece na etapa, até 5000 caracteres.", examples=["Conversa na padaria."])
    ] = None
    ordem: Annotated[
        Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)] | None,
        Meta(description="Lugar entre as etapas; ausente, o da lista. É renumerado sem lacunas.", examples=[1]),
    ] = None


class NestedStep(StepBody):
    """A step in a job's body."""

    id: ForeignId = None


class QuestionBody(msgspec.Struct):
    titulo: Annotated[str, Meta(description="A pergunta, de 1 a 500 caracteres.", examples=["Por que esta vaga?"])]
    tipo_campo: Annotated[QuestionKind, Meta(description="Como se responde.", examples=["resposta_curta"])]
    id: ForeignId = None
    obrigatorio: Annotated[bool | None, Meta(description="Se precisa ser respondida.", examples=[True])] = None
    valor_minimo: Annotated[
        Annotated[int, Meta(ge=-_LARGEST, le=_LARGEST)] | None,
        Meta(description="Menor número aceito; só em `resposta_numerica`.", examples=[0]),
    ] = None
    valor_maximo: Annotated[
        Annotated[int, Meta(ge=-_LARGEST, le=_LARGEST)] | None,
        Meta(description="Maior número aceito; só em `resposta_numerica`.", examples=[50]),
    ] = None
    opcoes: Annotated[
        list[str] | None,
        Meta(description="De 1 a 50 textos distintos de até 200 caracteres; só nas seleções.", examples=[["A", "B"]]),
    ] = None


Age = Annotated[int, Meta(ge=0, le=120)]
References = Annotated[list[ReferenceId] | UnsetType | None, Meta(description="No máximo 20; ausente, ficam.")]


class JobBody(msgspec.Struct, kw_only=True):
    """A job in a request. Other members of a response, such as `status`, are allowed and ignored."""

    titulo: Annotated[
        OptionalText, Meta(description="Título, de 1 a 500 caracteres; obrigatório.", examples=["Confeiteiro"])
    ] = UNSET
    descricao: Annotated[
        OptionalText,
        Meta(description="Descrição, em Markdown, até 20000 caracteres; obrigatória.", examples=["Bolos e doces."]),
    ] = UNSET
    id_contratante: Annotated[
        OptionalText, Meta(description="CNPJ de uma empresa cadastrada; ausente, fica.", examples=["90000001000129"])
    ] = UNSET
    id_regime_contratacao: Annotated[
        OptionalText, Meta(description="Regime de contratação (UUID); ausente, fica.", examples=[ID_EXAMPLE])
    ] = UNSET
    id_modelo_trabalho: Annotated[
        OptionalText, Meta(description="Modelo de trabalho (UUID); ausente, fica.", examples=[ID_EXAMPLE])
    ] = UNSET
    id_orgao_parceiro: Annotated[
        OptionalText,
        Meta(description="Código do órgão (`cd_ua`); ausente ou vazio, fica; nulo só em edição.", examples=["1100"]),
    ] = UNSET
    bairro: Annotated[OptionalText, Meta(description="Bairro; ausente, é apagado.", examples=["Centro"])] = UNSET
    data_limite: Annotated[
        OptionalText,
        Meta(
            description="Instante (RFC 3339) até o qual se aceita candidatura; uma data vale até as 23:59:59 dela, "
            "no fuso da cidade. Ausente, é apagado.",
            examples=["2099-12-01"],
        ),
    ] = UNSET
    requisitos: Annotated[
        OptionalText, Meta(description="Até 10000 caracteres; ausente, é apagado.", examples=["Prática."])
    ] = UNSET
    diferenciais: Annotated[
        OptionalText, Meta(description="Até 10000 caracteres; ausente, é apagado.", examples=["Curso técnico."])
    ] = UNSET
    responsabilidades: Annotated[
        OptionalText, Meta(description="Até 10000 caracteres; ausente, é apagado.", examples=["Preparar bolos."])
    ] = UNSET
    beneficios: Annotated[
        OptionalText, Meta(description="Até 10000 caracteres; ausente, é apagado.", examples=["Vale-transporte."])
    ] = UNSET
    valor_vaga: Annotated[
        Annotated[float, Meta(ge=0, le=9_999_999_999.99)] | UnsetType | None,
        Meta(description="Remuneração em reais, no máximo 2 casas; ausente, é apagada.", examples=[2100.5]),
    ] = UNSET
    quantidade_estimada_contratacoes: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | UnsetType | None,
        Meta(description="De 1 a 10000; ausente, é apagada.", examples=[2]),
    ] = UNSET
    acessibilidade_pcd: Annotated[
        Annotated[str, Meta(extra_json_schema={"enum": ["exclusivo_pcd", "para_pcd", "preferencial_pcd"]})]
        | UnsetType
        | None,
        Meta(
            description="`para_pcd`, `preferencial_pcd` ou `exclusivo_pcd`; ausente, é apagada, e `tipos_pcd` com ela.",
            examples=["preferencial_pcd"],
        ),
    ] = UNSET
    idade_minima: Annotated[
        Age | UnsetType | None, Meta(description="De 0 a 120; ausente, é apagada.", examples=[18])
    ] = UNSET
    idade_maxima: Annotated[
        Age | UnsetType | None, Meta(description="De 0 a 120, não menor que a mínima; ausente, fica.", examples=[60])
    ] = UNSET
    id_escolaridade_minima: Annotated[
        OptionalText, Meta(description="Escolaridade mínima (UUID); ausente, é apagada.", examples=[ID_EXAMPLE])
    ] = UNSET
    bairros_elegibilidade: Annotated[
        list[str] | UnsetType | None,
        Meta(description="No máximo 200 textos de até 255 caracteres; ausente, ficam.", examples=[["Centro"]]),
    ] = UNSET
    areas_formacao_elegibilidade: Annotated[
        list[str] | UnsetType | None,
        Meta(description="No máximo 50 textos de até 255 caracteres; ausente, ficam.", examples=[["Nutrição"]]),
    ] = UNSET
    tipos_pcd: References = UNSET
    zonas: References = UNSET
    idiomas_requisito: Annotated[
        list[LanguageBody] | UnsetType | None,
        Meta(description="No máximo 10, cada idioma uma vez; ausente, ficam."),
    ] = UNSET
    etapas: Annotated[
        list[NestedStep] | UnsetType | None,
        Meta(description="No máximo 30. Ausente, ficam; o que falta em uma lista enviada é retirado."),
    ] = UNSET
    informacoes_complementares: Annotated[
        list[QuestionBody] | UnsetType | None,
        Meta(description="No máximo 30 perguntas. Ausente, ficam; o que falta em uma lista enviada é retirado."),
    ] = UNSET
