"""The sandbox's agents and data sets (rules: agents 8). Apart from the dates, every sandbox has the same data."""

import base64
import hashlib
import itertools
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from balcao.agents.datasets import service as datasets
from balcao.agents.datasets.incoming import MAX_IMPORT, DatasetCreation, ExampleCreation
from balcao.agents.experiments import service as experiments
from balcao.agents.experiments.schemas import EXPERIMENT_ID, AnnotationCreation, ExperimentCreation, RunCreation
from balcao.agents.versions import service as versions
from balcao.agents.versions.schemas import SaveBody
from balcao.agents.webhooks import service as webhooks
from balcao.agents.webhooks.schemas import WebhookBody
from balcao.core.context.call import Call, operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now

AGENT = "agentic_search"
SECOND_AGENT = "atendimento_demo"
ACTIVE = 11
HIDDEN = 4
ROLLED_BACK_TO = 6
DATASETS = {"Perguntas frequentes": 40, "Atendimento simulado": 2500, "Conjunto vazio": 0}
LARGEST = "Atendimento simulado"
# The experiments on the largest data set: their ids, and the version of the first agent that each one tests.
EXPERIMENTS = {EXPERIMENT_ID: 10, f"{EXPERIMENT_ID}-2": ACTIVE}
RUNS = 40

_INSTRUCTIONS = (
    "Você atende pessoas que procuram serviços da prefeitura. Responda em português claro, indique o serviço certo "
    "e os documentos necessários, e diga quando não souber."
)
_TOOLS = ["google_search", "public_services_grounded_search"]
_PERSONA = {"label": "persona", "value": "Atendente da prefeitura: cordial, direta, sem jargão.", "limit": 2000}
_HUMAN = {"label": "human", "value": "Pessoa moradora da cidade que busca um serviço.", "limit": 2000}
_FIRST: dict[str, Any] = {
    "prompt_content": _INSTRUCTIONS,
    "memory_blocks": [_HUMAN, _PERSONA],
    "tools": _TOOLS,
    "model_name": "modelo-demo-1",
    "embedding_name": "vetores-demo-1",
}

# The reason for each version of the first agent, and the members that the version changes. It inherits all other
# members.
_SAVES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("primeira versão", _FIRST),
    ("pede respostas curtas", {"prompt_content": f"{_INSTRUCTIONS} Use no máximo três frases."}),
    ("modelo novo", {"model_name": "modelo-demo-2"}),
    ("texto de teste", {"prompt_content": "Responda apenas com o nome do serviço."}),
    ("volta ao texto e cita a fonte", {"prompt_content": f"{_INSTRUCTIONS} Cite a página do serviço."}),
    ("memória mais longa", {"memory_blocks": [_HUMAN, _PERSONA | {"limit": 4000}]}),
    ("sem busca aberta", {"tools": _TOOLS[1:], "prompt_content": f"{_INSTRUCTIONS} Não opine."}),
    ("vetores novos", {"embedding_name": "vetores-demo-2"}),
    ("orienta sobre prazos", {"prompt_content": f"{_INSTRUCTIONS} Informe o prazo de cada serviço."}),
    ("modelo novo", {"model_name": "modelo-demo-3"}),
    ("texto e ferramentas", {"prompt_content": f"{_INSTRUCTIONS} Informe prazo e endereço.", "tools": _TOOLS}),
    ("em avaliação", {"model_name": "modelo-demo-4"}),
)
_ROLLBACK_AFTER = 7

WEBHOOK = WebhookBody(url="https://agente.example/avisos", description="Agente do portal", active=False)

_SERVICES = (
    "poda de árvore", "tapa-buraco", "segunda via do carnê", "vacinação de pets", "retirada de entulho",
    "alvará de evento", "troca de lâmpada", "limpeza de bueiro", "matrícula na creche", "cartão do idoso",
)  # fmt: skip
_NEEDS = ("prazo", "documentos", "endereço", "custo", "horário")
_PEOPLE = ("moradora", "comerciante", "síndico", "estudante", "visitante")
_MOODS = ("com pressa", "em dúvida", "pela primeira vez", "de novo", "com calma")
_PLACES = ("no centro", "na zona norte", "na zona sul", "na zona oeste")


async def load_demo_agents(platform: Platform) -> None:
    call = operator_call(platform, "agents.demo")
    start = utc_now() - timedelta(days=90)
    await _save_versions(call, start)
    if await versions.read_last_number(call, SECOND_AGENT) == 0:
        await versions.save_version(call, SaveBody(agent_type=SECOND_AGENT, reason="primeira versão", **_FIRST), start)
    for name, count in DATASETS.items():
        await _fill_dataset(call, name, count, start)
    await _record_experiments(call)
    if not await webhooks.WEBHOOKS.list_webhooks(call):
        await webhooks.WEBHOOKS.add_webhook(call, WEBHOOK)


async def find_agent_examples(platform: Platform) -> Mapping[str, Any]:
    call = operator_call(platform, "agents.demo")
    active = await versions.read_version_content(call, AGENT, ACTIVE)
    return {"agent_config_id": str(active.config_id), "dataset_id": make_dataset_id(LARGEST)}


def make_dataset_id(name: str) -> str:
    """Derive a data set's id from its name: 22 URL-safe characters, the same in every sandbox."""
    return base64.urlsafe_b64encode(hashlib.md5(name.encode(), usedforsecurity=False).digest()).decode().rstrip("=")


async def _save_versions(call: Call, start: datetime) -> None:
    """Save the versions that are missing, so that an interrupted load can continue."""
    last = await versions.read_last_number(call, AGENT)
    for number, (reason, content) in enumerate(_SAVES, start=1):
        at = start + timedelta(days=7 * number)
        if number == _ROLLBACK_AFTER + 1 == last + 1:
            await versions.roll_back_agent(
                call, AGENT, "piora nas respostas", ROLLED_BACK_TO, at=at - timedelta(days=1)
            )
        if number > last:
            body = SaveBody(agent_type=AGENT, reason=reason, activate=number <= ACTIVE, **content)
            last = (await versions.save_version(call, body, at)).version.version
    await versions.hide_version(call, AGENT, HIDDEN, "era só um teste", start + timedelta(days=7 * len(_SAVES)))


async def _fill_dataset(call: Call, name: str, count: int, at: datetime) -> None:
    dataset = await datasets.find_dataset(call, name)
    if dataset is None:
        body = DatasetCreation(name=name, description="Perguntas simuladas, sem dados pessoais.")
        await datasets.create_dataset(call, body, make_dataset_id(name), at)
    filled = dataset.example_count if dataset else 0
    missing = list(itertools.islice(_make_examples(name), filled, count))
    for begin in range(0, len(missing), MAX_IMPORT):
        await datasets.add_examples(call, make_dataset_id(name), missing[begin : begin + MAX_IMPORT], at)


async def _record_experiments(call: Call) -> None:
    """Create the experiments that are missing, with their runs."""
    dataset_id = make_dataset_id(LARGEST)
    listed = (await experiments.list_experiments(call, dataset_id)).data.dataset.experiments.edges
    there = {edge.experiment.id: edge.experiment.run_count for edge in listed}
    for experiment_id, version in EXPERIMENTS.items():
        if experiment_id not in there:
            body = ExperimentCreation(name=f"Versão {version}", agent_type=AGENT, version=version)
            await experiments.create_experiment(call, dataset_id, body, experiment_id)
        if not there.get(experiment_id):
            await experiments.record_runs(call, experiment_id, list(_make_runs(version)))


def _make_runs(version: int) -> Iterator[RunCreation]:
    """Yield runs with invented answers. The newer version is correct slightly more often."""
    for number, example in enumerate(itertools.islice(_make_examples(LARGEST), RUNS), start=1):
        is_right = number % (version - 7) != 0
        score = AnnotationCreation(
            name="correção", annotator_kind="human", score=is_right, label="certo" if is_right else ""
        )
        yield RunCreation(
            example_id=example.id or "",
            output=example.output if is_right else {"golden_answer": "Não sei."},
            latency_ms=600 + 10 * number,
            annotations=[score],
        )


def _make_examples(name: str) -> Iterator[ExampleCreation]:
    every = itertools.product(_MOODS, _PLACES, _PEOPLE, _NEEDS, _SERVICES)
    for number, (mood, place, person, need, service) in enumerate(every, start=1):
        yield ExampleCreation(
            id=f"{make_dataset_id(name)}-{number}",
            input={"mensagem_whatsapp_simulada": f"Sou {person} {place}, {mood}: qual é o {need} para {service}?"},
            output={"golden_answer": f"Procure o serviço “{service}” no portal: ali está o {need}, {place} também."},
            metadata={"id": str(number)},
        )
