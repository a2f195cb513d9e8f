"""A city's day as a mix of operations, with their frequencies, callers and expected responses."""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import msgspec

from bench.applications import job_id
from bench.cases import DADOS
from bench.load import COUNTED
from tests.search.judged import read_queries

MARK = COUNTED.decode()
NO_HOLDER = -1
REGISTRY, JOBS, SEARCH, ACCESS, UNITS, AGENT = (
    "/registry/v1",
    "/jobs/api/v1/empregabilidade",
    "/search/api",
    "/access/api/v1",
    "/health-units",
    "/agent/api/v1",
)


class Request(msgspec.Struct, frozen=True):
    """A request in two parts. The program `bench/go/mixed` inserts the token with index `holder` between them."""

    before: str
    after: str
    holder: int = NO_HOLDER


@dataclass(frozen=True)
class Operation:
    """An operation in the mix. `key` is its permanent key, and `weight` its share of a thousand calls.

    With `once`, each of its requests may be sent only once.
    """

    key: str
    weight: int
    requests: Sequence[Request]
    status: int = 200
    once: bool = False


@dataclass(frozen=True)
class Cast:
    """The callers, the indexes of their tokens, and the objects that their calls use."""

    people: Mapping[str, int]
    staff: Sequence[int]
    crm: int
    runtime: int
    panels: Sequence[int]
    notifications: Sequence[tuple[str, str]]
    configs: Sequence[str]
    open_jobs: Sequence[int]


def make_operations(cast: Cast) -> list[Operation]:
    """Return the mix. Most calls are reads, as in any portal. The CRM and citizens write."""
    units = [cnes for cnes, _ in cast.notifications]

    def own(method: str, path: str, body: object = None) -> list[Request]:
        return [ask(method, path.replace("{cpf}", cpf), place, body) for cpf, place in cast.people.items()]

    def of_staff(method: str, paths: Iterable[str], body: object = None) -> list[Request]:
        return [ask(method, path, place, body) for path, place in zip(paths, itertools.cycle(cast.staff), strict=False)]

    category = f"{REGISTRY}/citizen/{{cpf}}/notification-preferences/categories/events"
    instant = f"2026-01-02T03:04:05.{MARK}Z"
    event = {"evento": "atualizacao", "updatedAt": instant, "dados": DADOS}
    queries = [query for query, _ in read_queries()]
    return [
        Operation("agents.check_token", 90, own("GET", f"{AGENT}/auth")),
        Operation("registry.read_preferences", 180, own("GET", f"{REGISTRY}/citizen/{{cpf}}/notification-preferences")),
        Operation(
            "registry.choose_notification_category",
            40,
            [each for chosen in (True, False) for each in own("PATCH", category, {"opt_in": chosen, "channel": "web"})],
        ),
        Operation("registry.read_citizen", 120, own("GET", f"{REGISTRY}/citizen/{{cpf}}")),
        Operation("registry.list_pets", 40, own("GET", f"{REGISTRY}/citizen/{{cpf}}/pets")),
        Operation(
            "registry.receive_crm_event",
            100,
            [ask("POST", f"{REGISTRY}/webhooks/crm/cidadao", cast.crm, event | {"cpf": cpf}) for cpf in cast.people],
            status=202,
        ),
        Operation("search.search", 110, [ask("GET", f"{SEARCH}/v1/search?q={quote(query)}") for query in queries]),
        Operation(
            "search.suggest", 30, [ask("GET", f"{SEARCH}/v1/search/suggest?q={quote(query[:4])}") for query in queries]
        ),
        Operation(
            "employability.list_published_jobs",
            60,
            [ask("GET", f"/jobs/api/public/empregabilidade/vagas?page={page}") for page in (1, 1, 1, 2, 3)],
        ),
        Operation(
            "employability.read_published_job",
            40,
            [ask("GET", f"/jobs/api/public/empregabilidade/vagas/{job_id(job)}") for job in cast.open_jobs],
        ),
        Operation("employability.submit_application", 4, list_applications(cast), status=201, once=True),
        Operation("employability.list_applications_of_person", 16, own("GET", f"{JOBS}/candidaturas/usuario/{{cpf}}")),
        Operation(
            "health_units.read_risk",
            90,
            [
                ask("GET", f"{UNITS}/unidade/{cnes}/risco", place)
                for cnes, place in zip(itertools.cycle(units), cast.people.values(), strict=False)
            ],
        ),
        Operation(
            "health_units.change_notification",
            2,
            [
                ask("PATCH", f"{UNITS}/unidade/{cnes}/notificacoes/{number}", place, {"risco": colour})
                for colour in ("Amarelo", "Laranja")
                for (cnes, number), place in zip(cast.notifications, itertools.cycle(cast.staff), strict=False)
            ],
        ),
        Operation(
            "agents.read_config",
            60,
            [ask("GET", f"{AGENT}/agent-config/by-id/{config}", cast.runtime) for config in cast.configs],
        ),
        Operation(
            "employability.list_applications",
            6,
            of_staff("GET", [f"{JOBS}/candidaturas?vagaId={job_id(job)}" for job in cast.open_jobs]),
        ),
        Operation("access.list_actions", 6, of_staff("GET", [f"{ACCESS}/actions?limit=50"] * len(cast.staff))),
        Operation(
            "search.list_services", 6, of_staff("GET", [f"{SEARCH}/v1/admin/services?per_page=20"] * len(cast.staff))
        ),
    ]


def make_streams(cast: Cast) -> list[Request]:
    """Return the requests for the event streams that dashboards keep open."""
    return [ask("GET", f"{UNITS}/unidades/eventos", panel) for panel in cast.panels]


def list_applications(cast: Cast) -> list[Request]:
    """Return requests with which each person applies for each open job, job by job."""
    return [
        ask("POST", f"{JOBS}/candidaturas", place, {"id_vaga": job_id(job)})
        for job in cast.open_jobs
        for place in cast.people.values()
    ]


def ask(method: str, path: str, holder: int = NO_HOLDER, body: object = None) -> Request:
    """Return a request with the token of this holder, or without a token."""
    content = "" if body is None else json.dumps(body)
    described = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n" if content else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{described}"
    if holder == NO_HOLDER:
        return Request(head, f"\r\n{content}")
    return Request(f"{head}Authorization: Bearer ", f"\r\n\r\n{content}", holder)
