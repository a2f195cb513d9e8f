"""Check the processes: whether they respond, belong to this installation and are ready."""

from collections.abc import Iterator

import httpx

from balcao.gateway.instance import HEADER, name_instance
from balcao.operate.doctor.checks import DOWN, STOPPED, UP, Check, Part, Subject
from balcao.settings import Settings
from balcao.settings.addresses import reach

READY, NOT_READY, SILENT_AFTER = "ready", "not_ready", "silent"
# The statuses with which a gateway responds if its processes are not running.
_UPSTREAM_DOWN = frozenset({502, 503, 504})


async def _check_services(subject: Subject) -> Part:
    """Check whether this installation answers at the public address. A stopped platform is not a problem."""
    base_url = subject.settings.base_url
    try:
        alive = await subject.http.get(f"{base_url}/liveness")
    except (httpx.HTTPError, httpx.InvalidURL):
        return Part(STOPPED)
    found = alive.headers.get(HEADER)
    if found is None and alive.status_code in _UPSTREAM_DOWN:
        return Part(STOPPED)
    if found != name_instance(subject.settings):
        who = "um programa que não é o Balcão" if found is None else "outra instalação do Balcão"
        return Part(
            DOWN,
            problems=[f"Em {base_url} responde {who}: encerre-o, ou indique outra porta em BALCAO_PORT."],
        )
    return Part(UP if alive.is_success else DOWN)


async def _check_management(subject: Subject) -> Part:
    """Check the management ports on this machine."""
    states, problems = await _ask_ports(subject.settings, subject.http)
    silent = set(states.values()) == {SILENT_AFTER}
    return Part(DOWN if problems else STOPPED if silent else UP, {"ports": states}, problems)


async def _ask_ports(settings: Settings, http: httpx.AsyncClient) -> tuple[dict[str, str], list[str]]:
    """Return the state of each port, and sentences about problems. An unused port is not a problem."""
    states, problems = {}, []
    token = settings.metrics_token.get_secret_value()
    shown = {"Authorization": f"Bearer {token}"} if token else {}
    ports = {settings.management_port: "BALCAO_MANAGEMENT_PORT"}
    if settings.worker_management_port:
        ports[settings.worker_management_port] = "BALCAO_WORKER_MANAGEMENT_PORT"
    for port, variable in ports.items():
        address = f"http://{reach(settings.management_host)}:{port}"
        try:
            answer = await http.get(f"{address}/readiness")
            scraped = await http.get(f"{address}/metrics", headers=shown)
        except (httpx.HTTPError, httpx.InvalidURL):
            states[address] = SILENT_AFTER
            if variable == "BALCAO_MANAGEMENT_PORT" and await is_served(settings, http):
                problems.append(f"Os serviços respondem, mas a porta de gestão {address} não: confira {variable}.")
            continue
        states[address] = READY if answer.is_success else NOT_READY
        problems += _judge(settings, address, variable, answer, scraped)
    return states, problems


def _judge(
    settings: Settings, address: str, variable: str, answer: httpx.Response, scraped: httpx.Response
) -> Iterator[str]:
    if answer.headers.get(HEADER) != name_instance(settings):
        yield f"Em {address} não responde esta instalação: confira {variable}, e se os segredos são os dos processos."
        return
    if not answer.is_success:
        failed = ", ".join(answer.json().get("errors", []))
        yield f"A porta de gestão {address} diz que algo não vai bem: {failed}."
    if not scraped.is_success:
        yield f"Em {address} as métricas recusam BALCAO_METRICS_TOKEN: reinicie os processos, que têm outro."


async def is_served(settings: Settings, http: httpx.AsyncClient) -> bool:
    """Return whether this installation's processes respond on this machine, without going through a gateway."""
    try:
        answer = await http.get(f"http://{reach(settings.host)}:{settings.port}/liveness")
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
    return bool(answer.headers.get(HEADER) == name_instance(settings))


SERVICES = Check(
    name="processes",
    part="services",
    looks_at="the public address, `BALCAO_PUBLIC_URL`. It is not a problem if nothing runs there yet",
    wrong="another program, or another installation of the platform, answers",
    remedy="stop the other program, or set another port in `BALCAO_PORT`",
    examine=_check_services,
)
MANAGEMENT = Check(
    name="management ports",
    part="management",
    looks_at="the [management ports](../operate/monitoring.md#management-port) of this machine: readiness and metrics",
    wrong="a port does not answer although the services do; it is not ready; it belongs to another installation; the "
    "metrics refuse `BALCAO_METRICS_TOKEN`",
    remedy="correct the port; check what readiness reports; restart processes that were started with another token",
    examine=_check_management,
    is_due=lambda settings: bool(settings.management_port),
)
