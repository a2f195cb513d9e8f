"""Whether traces can be made and are taken by the collector of `BALCAO_TRACES_URL`, for `balcao doctor`."""

import importlib.util

import httpx

from balcao.settings import Settings

# No spans at all, in the form in which they are sent.
_NOTHING = b""
_LIBRARIES = ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")


async def check_traces(settings: Settings, http: httpx.AsyncClient) -> list[str]:
    """Return what is wrong: libraries that are not installed, a collector that is away or takes no traces."""
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
    except ModuleNotFoundError:  # not even the package that it would be in
        return False
