"""Check whether traces can be created and sent to the collector at `BALCAO_TRACES_URL`."""

import importlib.util

import httpx

from balcao.operate.doctor.checks import DOWN, UP, Check, Part, Subject
from balcao.settings import Settings

# A request with an empty list of spans, in the collector's protocol.
_NOTHING = b""
_LIBRARIES = ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")


async def _find_problems(settings: Settings, http: httpx.AsyncClient) -> list[str]:
    """Return sentences about missing libraries, or about a collector that is down or rejects traces."""
    problems = []
    if not all(map(_is_installed, _LIBRARIES)):
        problems.append("BALCAO_TRACES_URL pede outras bibliotecas: instale as de requirements-traces.lock.")
    address = f"{settings.traces_url.rstrip('/')}/v1/traces"
    try:
        answer = await http.post(address, content=_NOTHING, headers={"Content-Type": "application/x-protobuf"})
    except (httpx.HTTPError, httpx.InvalidURL):
        return [*problems, f"O coletor de rastros não responde em {address}: confira BALCAO_TRACES_URL."]
    if not answer.is_success:
        problems.append(f"O coletor recusa rastros em {address} ({answer.status_code}): confira BALCAO_TRACES_URL.")
    return problems


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the parent package is not installed either
        return False


async def _check_traces(subject: Subject) -> Part:
    problems = await _find_problems(subject.settings, subject.http)
    return Part(DOWN if problems else UP, problems=problems)


CHECK = Check(
    name="traces",
    part="traces",
    looks_at="the libraries for traces, and the collector of `BALCAO_TRACES_URL`",
    wrong="the libraries are not installed; the collector does not answer or rejects traces",
    remedy="install `requirements-traces.lock`; correct the address",
    examine=_check_traces,
    is_due=lambda settings: bool(settings.traces_url),
)
