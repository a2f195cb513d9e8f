"""The clients that openapi-generator and openapi-python-client generate compile and call a running server."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from balcao import app
from balcao.core.service import Service
from tests.clients.calls import CALLS
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.clients

DESCRIPTIONS = Path(__file__).parents[2] / "openapi"  # another test checks that the documents match the code
MISSING = (
    "Estas provas precisam dos geradores de clientes: ponha a pasta deles em BALCAO_CLIENT_TOOLS "
    '(`tools/clients` os instala e a mostra), ou deixe-as de fora com -m "not clients".'
)
WITH_OPENAPI_GENERATOR = """
import generated
configuration = generated.Configuration(host={url!r}, access_token={token!r})
(api,) = [kind for name, kind in vars(generated).items() if name.endswith("Api") and hasattr(kind, {operation!r})]
with generated.ApiClient(configuration) as client:
    body = [getattr(generated, {body_type!r})(**{body!r})] if {body!r} else []
    found = getattr(api(client), {operation!r})(*{values!r}.values(), *body)
print(found[{shows!r}] if isinstance(found, dict) else getattr(found, {shows!r}))
"""
WITH_OPENAPI_PYTHON_CLIENT = """
import importlib, pkgutil
from generated import AuthenticatedClient, api, models
(name,) = [one.name for one in pkgutil.walk_packages(api.__path__, "generated.api.") if one.name.endswith({end!r})]
body = {{"body": getattr(models, {body_type!r})(**{body!r})}} if {body!r} else {{}}
with AuthenticatedClient(base_url={url!r}, token={token!r}, raise_on_unexpected_status=True) as client:
    found = importlib.import_module(name).sync(*{values!r}.values(), client=client, **body)
print(getattr(found, {shows!r}, None) or found[{shows!r}])
"""


def tools() -> Path:
    folder = os.environ.get("BALCAO_CLIENT_TOOLS")
    if not folder:
        pytest.fail(MISSING, pytrace=False)
    return Path(folder)


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)


def openapi_generator(description: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    (jar,) = (tools() / "jars").glob("openapi-generator-cli-*.jar")
    options: list[str | Path] = [
        "generate",
        "-g",
        "python",
        "--package-name",
        "generated",
        "-i",
        description,
        "-o",
        folder,
    ]
    return run("java", "-jar", jar, *options, folder=folder)


def openapi_python_client(description: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    options: list[str | Path] = [
        "generate",
        "--meta",
        "none",
        "--path",
        description,
        "--output-path",
        folder / "generated",
    ]
    return run(tools() / "venv" / "bin" / "openapi-python-client", *options, folder=folder)


@pytest.mark.parametrize("service", app.SERVICES, ids=app.NAMES)
@pytest.mark.parametrize(
    ("generate", "program"),
    [(openapi_generator, WITH_OPENAPI_GENERATOR), (openapi_python_client, WITH_OPENAPI_PYTHON_CLIENT)],
    ids=["openapi-generator", "openapi-python-client"],
)
def test_a_client_compiles_and_calls_its_service_with_a_token(
    tmp_path: Path,
    sandbox: Sandbox,
    service: Service,
    generate: Callable[[Path, Path], subprocess.CompletedProcess[str]],
    program: str,
) -> None:
    generated = generate(DESCRIPTIONS / f"{service.name}.json", tmp_path)
    assert generated.returncode == 0, generated.stderr
    python = tools() / "venv" / "bin" / "python"
    compiled = run(python, "-m", "compileall", "-q", "generated", folder=tmp_path)
    assert compiled.returncode == 0, compiled.stdout
    call = CALLS[service.name]
    text = program.format(
        url=sandbox.url + service.prefix + service.base,
        token=sandbox.tokens.person(call.who),
        operation=call.operation,
        end="." + call.operation,
        values=call.filled(sandbox),
        body=call.body,
        body_type=call.body_type,
        shows=call.shows,
    )
    called = run(python, "-c", text, folder=tmp_path)
    assert called.stdout.strip() == call.expected, called.stderr
