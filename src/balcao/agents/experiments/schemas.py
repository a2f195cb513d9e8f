"""Wire types for experiments."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, Field, RootModel, StringConstraints, ValidationInfo, field_validator

from balcao.agents.datasets.cursors import START, decode_example_cursor
from balcao.agents.datasets.incoming import (
    MAX_IMPORT,
    OUTPUT,
    Description,
    Metadata,
    Object,
    OpaqueId,
    check_text,
    refuse_repeated_values,
)
from balcao.agents.datasets.schemas import DATASET_ID, EXAMPLE_ID, SET_ID, PageInfo, Revision
from balcao.agents.queries import AGENT_TYPE, LAST_VERSION
from balcao.core.http.models import Model
from balcao.core.values.fields import DIGITS

MAX_PAGE = 50
MAX_ANNOTATIONS = 20
EXPERIMENT_ID = "Qm9hVGFyZGVBbWlnb3MxMg"

Annotator = Literal["human", "model", "code"]
_Text = Annotated[str, StringConstraints(max_length=2000), AfterValidator(check_text)]


class ExperimentCreation(Model):
    """The body that creates an experiment. `version` must be a version of the platform's agent `agent_type`."""

    name: Annotated[
        str,
        StringConstraints(min_length=1, max_length=200, strip_whitespace=True),
        AfterValidator(check_text),
        Field(description="Nome do experimento, único no conjunto.", examples=["Modelo novo"]),
    ]
    description: Description = ""
    metadata: Metadata = {}
    agent_type: Annotated[
        str | None, Field(pattern=AGENT_TYPE, description="Tipo do agente que se experimenta.", examples=[None])
    ] = None
    version: Annotated[
        int | None, Field(ge=1, le=LAST_VERSION, description="A sua versão; exige `agent_type`.", examples=[None])
    ] = None

    @field_validator("version")
    @classmethod
    def _of_an_agent(cls, version: int | None, known: ValidationInfo) -> int | None:
        if version is not None and known.data.get("agent_type", "") is None:
            raise ValueError("informe também `agent_type`")
        return version


class AnnotationCreation(Model):
    """An annotator's judgement of a run."""

    name: Annotated[
        str,
        StringConstraints(min_length=1, max_length=100),
        AfterValidator(check_text),
        Field(description="O que se avalia, único na execução.", examples=["correção"]),
    ]
    annotator_kind: Annotated[
        Annotator, Field(description="Quem avalia: pessoa, modelo ou programa.", examples=["human"])
    ] = "code"
    score: Annotated[float | None, Field(ge=-1e9, le=1e9, allow_inf_nan=False, description="Nota.", examples=[0.5])] = (
        None
    )
    label: Annotated[
        str, StringConstraints(max_length=100), AfterValidator(check_text), Field(description="Rótulo.")
    ] = ""
    explanation: Annotated[_Text, Field(description="Por que esta nota.")] = ""


class RunCreation(Model):
    """The agent's response to one example."""

    example_id: Annotated[OpaqueId, Field(description="Exemplo do conjunto.", examples=[EXAMPLE_ID])]
    output: Annotated[Object, Field(description="O que o agente respondeu.", examples=[OUTPUT])] = {}
    error: Annotated[_Text, Field(description="Por que não respondeu; vazio se respondeu.")] = ""
    latency_ms: Annotated[
        int | None, Field(ge=0, le=2_147_483_647, description="Quanto demorou, em milissegundos.", examples=[850])
    ] = None
    annotations: Annotated[
        list[AnnotationCreation],
        Field(max_length=MAX_ANNOTATIONS, description="Avaliações, até 20."),
        AfterValidator(lambda found: refuse_repeated_values(found, "name")),
    ] = []


class NewRuns(
    RootModel[
        Annotated[
            list[RunCreation],
            Field(min_length=1, max_length=MAX_IMPORT),
            AfterValidator(lambda found: refuse_repeated_values(found, "example_id")),
        ]
    ]
):
    """The runs that one call records."""


class Recorded(msgspec.Struct):
    """The number of new runs, and the number of runs that replaced an earlier run of the same example."""

    added: Annotated[int, Meta(ge=0, description="Execuções novas.", examples=[1])]
    replaced: Annotated[
        int, Meta(ge=0, description="Execuções que trocaram a anterior do mesmo exemplo.", examples=[0])
    ]


_Score = Annotated[float | None, Meta(description="Nota; nula se não há.", examples=[0.5])]
_Annotation = Annotated[str, Meta(description="O que se avaliou.", examples=["correção"])]


class AnnotationSummary(msgspec.Struct, rename="camel"):
    """A summary of all scores with the same name in an experiment."""

    annotation_name: _Annotation
    count: Annotated[int, Meta(ge=0, description="Quantas avaliações têm nota.", examples=[40])]
    min_score: _Score
    max_score: _Score
    mean_score: _Score


class Experiment(msgspec.Struct, rename="camel"):
    """An experiment, with a summary of its runs."""

    id: Annotated[str, Meta(description="Identificador do experimento.", examples=[EXPERIMENT_ID])]
    name: Annotated[str, Meta(description="Nome do experimento.", examples=["Modelo novo"])]
    description: Annotated[str, Meta(description="Para que serve; vazio se não foi informado.", examples=[""])]
    metadata: Annotated[dict[str, Any], Meta(description="Dados livres; vazio se não há.", examples=[{}])]
    agent_type: Annotated[
        str | None, Meta(description="Tipo do agente experimentado; nulo se não foi informado.", examples=[None])
    ]
    version: Annotated[int | None, Meta(description="A sua versão; nula se não foi informada.", examples=[None])]
    created_at: Annotated[
        str, Meta(description="Quando foi criado, com fuso.", examples=["2026-10-05T14:30:00.000000+00:00"])
    ]
    run_count: Annotated[int, Meta(ge=0, description="Execuções gravadas.", examples=[40])]
    error_rate: Annotated[
        float | None,
        Meta(description="Parte das execuções que falharam, de 0 a 1; nula sem execuções.", examples=[0.1]),
    ]
    average_run_latency_ms: Annotated[
        float | None, Meta(description="Demora média, em milissegundos; nula se não foi medida.", examples=[850.0])
    ]
    annotation_summaries: Annotated[list[AnnotationSummary], Meta(description="Notas em resumo, por avaliação.")]


class ExperimentEdge(msgspec.Struct):
    """An item in the list of experiments."""

    experiment: Annotated[Experiment, Meta(description="O experimento.")]


class Experiments(msgspec.Struct):
    """The experiments of a data set, newest first."""

    edges: Annotated[list[ExperimentEdge], Meta(description="Experimentos, do mais novo ao mais antigo, até 200.")]


class ScoreRange(msgspec.Struct, rename="camel"):
    """The lowest and the highest score with one name, over all listed experiments."""

    annotation_name: _Annotation
    min_score: _Score
    max_score: _Score


class ExperimentsOfDataset(msgspec.Struct, rename="camel"):
    """A data set with its experiments."""

    name: Annotated[str, Meta(description="Nome do conjunto.", examples=["Atendimento simulado"])]
    description: Annotated[str, Meta(description="Para que serve o conjunto.", examples=["Perguntas simuladas."])]
    example_count: Annotated[int, Meta(ge=0, description="Exemplos no conjunto.", examples=[40])]
    experiment_annotation_summaries: Annotated[
        list[ScoreRange], Meta(description="Limites das notas nos experimentos listados, por avaliação.")
    ]
    experiments: Annotated[Experiments, Meta(description="Os experimentos.")]


class ExperimentsData(msgspec.Struct):
    """The content of the envelope."""

    dataset: Annotated[ExperimentsOfDataset, Meta(description="O conjunto de dados.")]


class ExperimentsEnvelope(msgspec.Struct):
    """Experiments, in the envelope that existing clients expect (rules: agents 2.4)."""

    data: Annotated[ExperimentsData, Meta(description="O conteúdo da resposta.")]


class Annotation(msgspec.Struct, rename="camel"):
    """An annotator's judgement of a run."""

    name: _Annotation
    annotator_kind: Annotated[Annotator, Meta(description="Pessoa, modelo ou programa.", examples=["human"])]
    score: _Score
    label: Annotated[str, Meta(description="Rótulo; vazio se não há.", examples=["certo"])]
    explanation: Annotated[str, Meta(description="Por que esta nota; vazio se não foi informado.", examples=[""])]


class Run(msgspec.Struct, rename="camel"):
    """The agent's response to an example, and annotators' judgements of it."""

    revision: Annotated[int, Meta(ge=1, description="Revisão do exemplo quando se gravou.", examples=[1])]
    output: Annotated[dict[str, Any], Meta(description="O que o agente respondeu.", examples=[OUTPUT])]
    error: Annotated[str, Meta(description="Por que não respondeu; vazio se respondeu.", examples=[""])]
    latency_ms: Annotated[
        int | None, Meta(description="Demora em milissegundos; nula se não foi medida.", examples=[850])
    ]
    annotations: Annotated[list[Annotation], Meta(description="Avaliações, por nome.")]


class ComparedExample(msgspec.Struct, rename="camel"):
    """An example with its current content."""

    id: Annotated[str, Meta(description="Identificador do exemplo.", examples=[EXAMPLE_ID])]
    latest_revision: Annotated[Revision, Meta(description="Conteúdo atual do exemplo.")]


class RunEdge(msgspec.Struct, rename="camel"):
    """An example with its run and, in a comparison, the run from the other experiment."""

    example: Annotated[ComparedExample, Meta(description="O exemplo.")]
    run: Annotated[Run | None, Meta(description="A execução; nula se este experimento não tem a do exemplo.")]
    compared_run: Annotated[Run | None, Meta(description="A do outro experimento; nula se não há ou não se compara.")]
    cursor: Annotated[str, Meta(description="Posição: envie-a em `after` para continuar.", examples=["AAAAAAAAAAE"])]


class ScoreChange(msgspec.Struct, rename="camel"):
    """How the scores with one name changed from the other experiment to this one.

    Only examples that have a score in both experiments count.
    """

    annotation_name: _Annotation
    higher: Annotated[int, Meta(ge=0, description="Exemplos com nota maior neste experimento.", examples=[12])]
    lower: Annotated[int, Meta(ge=0, description="Exemplos com nota menor.", examples=[3])]
    equal: Annotated[int, Meta(ge=0, description="Exemplos com a mesma nota.", examples=[25])]
    mean_difference: Annotated[float, Meta(description="Diferença média das notas.", examples=[0.15])]


class RunPage(msgspec.Struct, rename="camel"):
    """A page of runs, in the order of the data set's examples.

    `scoreChanges` covers all pages, and is empty if no other experiment is compared.
    """

    score_changes: Annotated[list[ScoreChange], Meta(description="Como as notas mudaram, no experimento inteiro.")]
    edges: Annotated[list[RunEdge], Meta(description="Exemplos da página, na ordem do conjunto.")]
    page_info: Annotated[PageInfo, Meta(description="Como continuar.")]


class RunsData(msgspec.Struct):
    """The content of the envelope."""

    experiment: Annotated[RunPage, Meta(description="A página pedida.")]


class RunsEnvelope(msgspec.Struct):
    """Runs, in the same envelope as data sets."""

    data: Annotated[RunsData, Meta(description="O conteúdo da resposta.")]


class ExperimentsQuery(Model):
    """The id of the data set whose experiments are to be listed."""

    dataset_id: Annotated[
        str, Field(pattern=DATASET_ID, description="Identificador do conjunto de dados.", examples=[SET_ID])
    ]


class ExperimentPath(Model):
    """The id of an experiment in the path."""

    experiment_id: Annotated[str, Field(pattern=DATASET_ID)]


class RunsQuery(Model):
    """The query for a page of runs. A blank parameter counts as absent."""

    experiment_id: Annotated[
        str, Field(pattern=DATASET_ID, description="Identificador do experimento.", examples=[EXPERIMENT_ID])
    ]
    compare_with: Annotated[
        str | None,
        Field(
            pattern=DATASET_ID,
            description="Outro experimento do mesmo conjunto, para comparar.",
            examples=[EXPERIMENT_ID],
        ),
    ] = None
    first: Annotated[
        int, Field(ge=1, le=MAX_PAGE, description="Exemplos por página, de 1 a 50.", examples=[20]), DIGITS
    ] = MAX_PAGE
    after: Annotated[
        str, Field(max_length=200, description="Cursor do último exemplo já lido; vazio para o começo.")
    ] = ""

    @field_validator("after")
    @classmethod
    def _of_this_experiment(cls, sent: str, known: ValidationInfo) -> str:
        if sent:
            decode_example_cursor(known.data.get("experiment_id"), sent)
        return sent

    @property
    def position(self) -> int:
        """The position after which the page starts."""
        return decode_example_cursor(self.experiment_id, self.after) if self.after else START
