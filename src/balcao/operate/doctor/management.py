"""Checks the management ports of this machine: that they answer, for us, and what they know of the processes."""

from collections.abc import Iterator

import httpx

from balcao.gateway.instance import HEADER, name_instance
from balcao.settings import Settings

READY, NOT_READY, SILENT = "ready", "not_ready", "silent"


async def check_management(settings: Settings, http: httpx.AsyncClient) -> tuple[dict[str, str], list[str]]:
    """Return what each port says, and what is wrong. A machine may have no worker, or nothing that runs yet."""
    states, problems = {}, []
    ports = {settings.management_port: "BALCAO_MANAGEMENT_PORT"}
    if settings.worker_management_port:
        ports[settings.worker_management_port] = "BALCAO_WORKER_MANAGEMENT_PORT"
    for port, variable in ports.items():
        address = f"http://{settings.management_host}:{port}"
        try:
            answer = await http.get(f"{address}/readiness")
            scraped = await http.get(f"{address}/metrics", headers=_show_token(settings))
        except (httpx.HTTPError, httpx.InvalidURL):
            states[address] = SILENT
            if variable == "BALCAO_MANAGEMENT_PORT" and await _is_served(settings, http):
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


def _show_token(settings: Settings) -> dict[str, str]:
    token = settings.metrics_token.get_secret_value()
    return {"Authorization": f"Bearer {token}"} if token else {}


async def _is_served(settings: Settings, http: httpx.AsyncClient) -> bool:
    """Tell whether processes of ours serve on this machine, whatever stands before them."""
    try:
        answer = await http.get(f"http://{settings.host}:{settings.port}/liveness")
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
    return bool(answer.headers.get(HEADER) == name_instance(settings))
