"""The sandbox's service catalogue for Porto Aurora, with deleted services and a migration that can be undone.

Each service has phrases in citizens' words. Apart from the times, which are relative to the day of the first start, the
data is the same in every sandbox. If loading was interrupted, the next start continues it.
"""

import tomllib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any

import msgspec

from balcao.core.access.rules import Decision, Reason
from balcao.core.context.call import OPERATOR, Call
from balcao.core.context.platform import Platform
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.search.collection import service as collection
from balcao.search.feedback import service as feedback
from balcao.search.feedback.schemas import FeedbackBody
from balcao.search.legacy_mappings import service as legacy_mappings
from balcao.search.legacy_mappings.schemas import LegacyMappingBody, MappingTaken
from balcao.search.phrases import service as phrases
from balcao.search.proposals import service as proposals
from balcao.search.proposals.schemas import ProposalBody
from balcao.search.schema_migrations import service as schema_migrations
from balcao.search.schema_migrations.schemas import StartBody
from balcao.search.schema_migrations.work import carry_on
from balcao.search.services import service as services
from balcao.search.services.schemas import ServiceChangeBody, ServiceRollbackBody
from balcao_sandbox.demo.callers import act_as
from balcao_sandbox.demo.request_types import find_deadlines, make_service_id

# The number of the service that appears in the examples of the API descriptions.
EXAMPLE = 1
EXAMPLE_MAPPING_ID = "7b1de1c0-52f4-4a83-9d0e-2a6f0c4b8e11"
SOURCES = ("1746_v2_llm", "carioca-digital_v2_llm")
IMMEDIATE = "Imediato"  # as search_services.toml writes it
MAPPED = frozenset({1, 3, 5, 8, 10, 15, 20, 28})
LONG_HISTORIES = frozenset({1, 10, 29})
DELETED = frozenset({21, 33})
PROPOSED = 10
PROPOSAL = {
    "resumo": "Emite novamente as guias do imposto do ano corrente e do ano anterior, com código de barras e Pix.",
    "change_reason": "O Pix foi liberado pela Secretaria de Fazenda.",
}
IN_EDITION = frozenset({14, 17, 24, 31, 37})
AWAITING = frozenset({6, 12, 18, 26, 41})
EXCLUSIVE_FOR_AGENTS = frozenset({27, 44, 66, 96, 126, 156})
HIGHLIGHTED = frozenset({0, 5, 38, 106})
# Services from this number on are created in their final state, which makes the first start faster. Among them, only
# the renamed services have a second version.
FIRST_FURTHER = 46
RENAMED = frozenset({46, 47})
FIRST_SETTLED = 182
AWAITING_OF_NINE, IN_EDITION_OF_NINE = 4, 7

# The feedback on the first published services: whether the page helped, and a comment.
FEEDBACK: tuple[tuple[tuple[bool, str | None], ...], ...] = (
    ((True, None), (True, None), (True, "Achei rápido o que precisava."), (False, "Não diz quanto tempo demora.")),
    ((False, "O endereço do posto está errado."), (False, None), (True, None)),
)

EDITOR = Cpf("90000020109")
PUBLISHER = Cpf("90000020281")
ADMINISTRATOR = Cpf("90000001309")

Step = Callable[[datetime], Awaitable[Any]]


@dataclass(frozen=True)
class PlannedService:
    """A demo service before it is stored."""

    service_id: str
    number: int
    body: dict[str, Any]


async def load_demo_services(platform: Platform) -> None:
    """Store the missing parts of the sandbox's catalogue. Changes by users remain."""
    await collection.begin_with_version(platform, "v2")
    today = utc_now().replace(hour=12, minute=0, second=0, microsecond=0)
    for planned in _draw_services():
        await _load(platform, planned, today)
    await _load_mappings(platform)
    if await schema_migrations.find_newest_migration(platform) is None:
        body = StartBody("v3", reason="Endereços legíveis para os serviços")
        started = await schema_migrations.start_migration(_act_as(platform, ADMINISTRATOR), body)
        if started.migration_id is not None:
            await carry_on(platform, started.migration_id)
        await _propose_change(platform)
        await _leave_feedback(platform)
    await phrases.seed_phrases(_act_as(platform, ADMINISTRATOR), list_phrases())


async def _propose_change(platform: Platform) -> None:
    """Propose a change to a published service, so that users can approve it."""
    planned = next(planned for planned in _draw_services() if planned.number == PROPOSED)
    body = planned.body | PROPOSAL
    await proposals.create_proposal(_act_as(platform, EDITOR), planned.service_id, msgspec.convert(body, ProposalBody))


async def _leave_feedback(platform: Platform) -> None:
    """Store the feedback on the first published services."""
    for planned, answers in zip(list_published(), FEEDBACK, strict=False):
        found = await services.read_service(_act_as(platform, EDITOR), planned.service_id)
        for helpful, comment in answers:
            await feedback.give_feedback(_act_as(platform, EDITOR), found.slug, FeedbackBody(helpful, comment))


def list_published() -> Iterator[PlannedService]:
    """Yield the services that citizens can find."""
    for planned in _draw_services():
        if planned.number not in EXCLUSIVE_FOR_AGENTS and _is_published(planned.number):
            yield planned


def list_phrases() -> dict[str, list[str]]:
    """Return the phrases with which citizens ask for each service, by service id. Deleted services are omitted."""
    said: Mapping[str, list[str]] = _read_data("search_phrases.toml")
    return {
        planned.service_id: said[planned.body["nome_servico"]]
        for planned in _draw_services()
        if planned.number not in DELETED and planned.body["nome_servico"] in said
    }


async def _load_mappings(platform: Platform) -> None:
    """Map four numbers from each old system to published services."""
    call = _act_as(platform, PUBLISHER)
    published = [planned for planned in _draw_services() if planned.number in MAPPED]
    for place, planned in enumerate(published):
        origem, old_id = SOURCES[place % len(SOURCES)], str(4711 + place // len(SOURCES))
        body = LegacyMappingBody(origem, old_id, planned.service_id, "Conferido com a central de atendimento.")
        with suppress(MappingTaken):
            mapping_id = EXAMPLE_MAPPING_ID if planned.number == EXAMPLE else None
            await legacy_mappings.create_legacy_mapping(call, body, mapping_id=mapping_id)


async def find_service_examples(platform: Platform) -> Mapping[str, Any]:
    """Return the id and version numbers of a service with a long history, and the id of the newest migration."""
    planned = next(planned for planned in _draw_services() if planned.number == EXAMPLE)
    newest = await services.read_newest_version(_act_as(platform, EDITOR), planned.service_id)
    return {
        "service_id": planned.service_id,
        "versions": list(range(1, newest + 1)),
        "migration_id": await schema_migrations.find_newest_migration(platform),
    }


async def _load(platform: Platform, planned: PlannedService, today: datetime) -> None:
    steps = _list_steps(platform, planned)
    done = await services.read_newest_version(_act_as(platform, EDITOR), planned.service_id)
    first = today - timedelta(days=120 - planned.number % 60, minutes=37 * planned.number)
    for number, step in enumerate(steps[done:], start=done):
        await step(first + timedelta(days=3 * number, hours=number))


def _list_steps(platform: Platform, planned: PlannedService) -> Sequence[Step]:
    """Return the steps that create a service's history, in order. Each step stores one version."""
    history = _History(_act_as(platform, EDITOR), _act_as(platform, PUBLISHER), planned)
    if planned.number >= FIRST_FURTHER:
        return _list_further_steps(history, planned.number)
    if planned.number in LONG_HISTORIES:
        return [
            history.create,
            history.ask_for_a_declaration,
            history.add_a_button,
            history.publish,
            history.rename,
            history.roll_back,
        ]
    if planned.number in IN_EDITION:
        return [history.create]
    if planned.number in AWAITING:
        return [history.create, history.submit]
    return [history.create, history.publish] + ([history.delete] if planned.number in DELETED else [])


def _list_further_steps(history: "_History", number: int) -> Sequence[Step]:
    if not _is_published(number):
        return [history.create if _find_place(number) == IN_EDITION_OF_NINE else history.create_awaiting]
    return [history.create_published] + ([history.rename_published] if number in RENAMED else [])


def _is_published(number: int) -> bool:
    if number < FIRST_FURTHER:
        return number not in IN_EDITION | AWAITING | DELETED
    return number >= FIRST_SETTLED or _find_place(number) not in (AWAITING_OF_NINE, IN_EDITION_OF_NINE)


def _find_place(number: int) -> int:
    return (number - FIRST_FURTHER) % 9


@dataclass(frozen=True)
class _History:
    editor: Call
    publisher: Call
    planned: PlannedService

    async def create(self, at: datetime) -> None:
        await services.create_service(
            self.editor, _to_body(self.planned.body), service_id=self.planned.service_id, at=at
        )

    async def create_awaiting(self, at: datetime) -> None:
        body = _to_body(self.planned.body | {"awaiting_approval": True})
        await services.create_service(self.editor, body, service_id=self.planned.service_id, at=at)

    async def create_published(self, at: datetime) -> None:
        body = _to_body(self.planned.body | {"status": 1})
        await services.create_service(self.publisher, body, service_id=self.planned.service_id, at=at)

    async def rename_published(self, at: datetime) -> None:
        await self._update(self.publisher, at, nome_servico=f"{self.planned.body['nome_servico']} pela internet")

    async def ask_for_a_declaration(self, at: datetime) -> None:
        await self._update(self.editor, at, **self._declaration)

    async def add_a_button(self, at: datetime) -> None:
        await self._update(self.editor, at, **self._declaration, **self._button)

    async def submit(self, at: datetime) -> None:
        await self._update(self.editor, at, awaiting_approval=True)

    async def publish(self, at: datetime) -> None:
        await services.publish_service(self.publisher, self.planned.service_id, at=at)

    async def rename(self, at: datetime) -> None:
        name = f"{self.planned.body['nome_servico']} pela internet"
        await self._update(self.publisher, at, nome_servico=name, **self._declaration, **self._button)

    async def roll_back(self, at: datetime) -> None:
        body = ServiceRollbackBody(to_version=4, change_reason="O nome anterior é o que as pessoas procuram.")
        await services.roll_back_service(self.publisher, self.planned.service_id, body, at=at)

    async def delete(self, at: datetime) -> None:
        await services.delete_service(self.publisher, self.planned.service_id, at=at)

    @property
    def _declaration(self) -> dict[str, Any]:
        return {
            "documentos_necessarios": [
                *self.planned.body["documentos_necessarios"],
                "Procuração, se você pede por outra pessoa",
            ]
        }

    @property
    def _button(self) -> dict[str, Any]:
        button = {"titulo": "Acompanhar pedido", "url_service": "https://acompanhe.portoaurora.example/protocolo"}
        if self.planned.body["tempo_atendimento"] == IMMEDIATE:  # people do not wait, so they have nothing to follow
            button = {"titulo": "Conferir documento", "url_service": "https://confere.portoaurora.example/documento"}
        return {"buttons": [*self.planned.body["buttons"], button]}

    async def _update(self, call: Call, at: datetime, **members: Any) -> None:
        await services.update_service(call, self.planned.service_id, _to_body(self.planned.body | members), at=at)


def _draw_services() -> Iterator[PlannedService]:
    data, deadlines = _read_data("search_services.toml"), find_deadlines()
    for number, row in enumerate([*data["services"], *data["further"], *data["settled"]]):
        name, category, subcategory, department, kind, audiences, summary = (part.strip() for part in row.split("|"))
        described = data["kinds"][kind]
        address = f"https://servicos.portoaurora.example/{number + 100}"
        button = {"titulo": described.get("button"), "url_service": f"{address}/pedido"}
        service_id = make_service_id(name)
        yield PlannedService(
            service_id,
            number,
            {
                "nome_servico": name,
                "orgao_gestor": [data["departments"][department]],
                "resumo": summary,
                "tempo_atendimento": described["deadline"],
                "custo_servico": "Gratuito",
                "resultado_solicitacao": described["result"],
                "descricao_completa": data["description"].format(nome=name, resumo=summary, orgao=department),
                "documentos_necessarios": described["documents"],
                "instrucoes_solicitante": described["instructions"],
                "canais_digitais": [address] if button["titulo"] else [],
                "canais_presenciais": data["places"].get(subcategory, described["places"]),
                "legislacao_relacionada": [data["laws"].get(category, data["general_law"])],
                "tema_geral": category,
                "sub_categoria": subcategory,
                "publico_especifico": [each.strip() for each in audiences.split(";")],
                "fixar_destaque": number in HIGHLIGHTED,
                "is_free": True,
                "agents": {"exclusive_for_agents": number in EXCLUSIVE_FOR_AGENTS},
                "buttons": [button] if button["titulo"] else [],
            }
            | _price(data["priced"].get(name, {}))
            | _promise(deadlines.get(service_id)),
        )


def _price(known: dict[str, Any]) -> dict[str, Any]:
    """Return the cost and the deadline of a service as data, with the texts that they replace."""
    return {"is_free": None, "custo_servico": "", "tempo_atendimento": ""} | known if known else {}


def _promise(days: int | None) -> dict[str, Any]:
    """Return the deadline of a service that citizens request from the city, as its request type promises it."""
    return {} if days is None else {"prazo": {"unidade": "dias", "quantidade": days}, "tempo_atendimento": ""}


def _read_data(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


def _to_body(members: dict[str, Any]) -> ServiceChangeBody:
    return msgspec.convert(members, ServiceChangeBody)


def _act_as(platform: Platform, cpf: Cpf) -> Call:
    """Return a call on behalf of a demo member of staff, with an operator's rights."""
    return act_as(platform, cpf, "search.demo", Decision(Reason.GRANTED, OPERATOR))
