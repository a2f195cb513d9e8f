"""Generated files for the measured imports, the same every time, and the data that these imports require."""

import random
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from balcao import employability, health_units, registry, search
from balcao.core.service import Service
from balcao_sandbox.demo.registry import invented
from bench import catalogue
from tests.employability.hiring.job_bodies import COMPANY, describe_job

SEED = 2026
SECONDS_APART = 60
# Members that an import derives. The files of another system do not contain them.
_DERIVED = ("search_content", "last_update", "slug_history")


@dataclass(frozen=True)
class File:
    """A generated file: the kind of import, and its usual number of rows.

    If `is_measured` is False, the rows are imported only because other kinds need them.
    """

    service: Service
    kind: str
    rows: int
    make: Callable[[int], Iterable[Any]]
    is_measured: bool = True


def _draw(what: str) -> random.Random:
    return random.Random(f"{SEED}:{what}")  # noqa: S311 - the same rows everywhere, nothing secret


def _make_id(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def make_employers(_: int) -> Iterator[dict[str, Any]]:
    """Yield the only company, which offers all jobs."""
    yield {"cnpj": COMPANY, "razao_social": "Padaria Aurora Ltda."}


def make_jobs(count: int) -> Iterator[dict[str, Any]]:
    """Yield published jobs, each with two steps and two questions."""
    chance = _draw("jobs")
    for number in range(count):
        filling = {"objeto": "a vaga", "lugar": chance.choice(catalogue.PLACES), "publico": "todos"}
        texts = [text.format(**filling) for text in chance.sample(catalogue.SENTENCES, 4)]
        yield describe_job(
            id=_make_id(chance),
            titulo=f"Confeiteiro {number}",
            descricao=" ".join(texts[:2]),
            requisitos=texts[2],
            responsabilidades=texts[3],
            bairro=chance.choice(catalogue.PLACES),
            data_limite="2099-12-01",
            status="publicado_ativo",
            publicado_em="2026-03-02T09:00:00-03:00",
            created_at="2026-03-01",
        )


def make_reference_values(count: int) -> Iterator[dict[str, Any]]:
    """Yield the kinds of achievements that resumes refer to, with their ids."""
    chance = _draw("reference values")
    for number in range(count):
        yield {"tabela": "tipos-conquista", "id": _make_id(chance), "descricao": f"Prêmio da edição {number}"}


def make_behaviours(count: int) -> Iterator[dict[str, Any]]:
    """Yield behaviours that a resume can list."""
    for number in range(count):
        yield {"nome": f"Atenção a prazos {number}"}


def make_units(count: int) -> Iterator[dict[str, Any]]:
    """Yield health units with all members and with hours on six days of the week."""
    chance = _draw("units")
    morning, afternoon = {"inicio": "08:00", "fim": "12:00"}, {"inicio": "13:00", "fim": "17:00"}
    for number in range(count):
        yield {
            "cnes": f"{number:07}",
            "nome": f"Clínica da Família {number}",
            "tipo": chance.choice(["CF", "CMS", "UPA"]),
            "area": chance.choice(["1.0", "2.1", "3.1"]),
            "logradouro": "Rua do Exemplo",
            "numero": str(number),
            "cep": "20000-001",
            "telefone": "(21) 2222-0001",
            "bairro": chance.choice(catalogue.PLACES),
            "latitude": round(-22.9 - chance.random() / 10, 6),
            "longitude": round(-43.2 - chance.random() / 10, 6),
            "semana": {day: [morning, afternoon] for day in "12345"} | {"6": [morning]},
        }


def make_notifications(count: int) -> Iterator[dict[str, Any]]:
    """Yield notifications of a hundred units in chronological order.

    In each unit, only the newest notification is open.
    """
    chance, units = _draw("notifications"), 100
    begin = datetime(2026, 3, 2, 12, tzinfo=UTC) - timedelta(days=count // units)
    for number in range(count):
        at = begin + timedelta(days=number // units, seconds=SECONDS_APART * (number % units))
        row = {
            "cnes": f"{number % units:07}",
            "risco": chance.choice(["Amarelo", "Laranja", "Vermelho"]),
            "aberta_em": at.isoformat(),
            "motivo": "Confronto nos arredores da unidade.",
        }
        if number < count - units:
            row |= {"encerrada_em": (at + timedelta(hours=3)).isoformat(), "causa": "normalizacao"}
        yield row


def make_services(count: int) -> Iterator[dict[str, Any]]:
    """Yield the services of the generated catalogue as another system would export them."""
    for whole in catalogue.make_services(count):
        yield {name: value for name, value in whole.items() if name not in _DERIVED and not name.endswith("_plaintext")}


FILES = (
    File(registry.SERVICE, "citizens", 20_000, invented.make_citizens),
    File(employability.SERVICE, "reference-values", 10_000, make_reference_values),
    File(employability.SERVICE, "behaviours", 10_000, make_behaviours),
    File(employability.SERVICE, "employers", 1, make_employers, is_measured=False),
    File(employability.SERVICE, "jobs", 5_000, make_jobs),
    File(health_units.SERVICE, "units", 5_000, make_units),
    File(health_units.SERVICE, "notifications", 5_000, make_notifications),
    File(search.SERVICE, "services", 2_000, make_services),
)
