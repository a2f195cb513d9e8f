"""Clients that openapi-typescript generates compile and call a running server."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from balcao import app
from balcao.core.service import Service
from tests.clients.calls import CALLS
from tests.support import npm_tools
from tests.support.descriptions import DESCRIPTIONS
from tests.support.proof_sizes import FULL
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.node, pytest.mark.long]

# Compiling takes seconds, so an ordinary run compiles only one service.
SERVICES = app.SERVICES if FULL else app.choose_services(["health_units"])
CONFIG = {
    "compilerOptions": {
        "strict": True,
        "target": "es2022",
        "module": "nodenext",
        "moduleResolution": "nodenext",
        "skipLibCheck": True,
        "lib": ["es2022", "dom"],
        "types": [],
    }
}
PROGRAM = """import createClient from "openapi-fetch";
import type {{ paths }} from "./api.js";

const client = createClient<paths>({{ baseUrl: "{url}", headers: {{ Authorization: "Bearer {token}" }} }});
const {{ data, error, response }} = await client.{method}("{path}", {{ {options} }});
if (error || data === undefined) throw new Error(`refused with ${{response.status}}`);
console.log(JSON.stringify(data));
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a project with the npm packages of tools/openapi."""
    (tmp_path / "node_modules").symlink_to(npm_tools.modules())
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    (tmp_path / "tsconfig.json").write_text(json.dumps(CONFIG))
    return tmp_path


@pytest.mark.parametrize("service", SERVICES, ids=[service.name for service in SERVICES])
def test_a_client_compiles_and_calls_its_service_with_a_token(folder: Path, sandbox: Sandbox, service: Service) -> None:
    call = CALLS[service.name]
    values = call.filled(sandbox)
    options = ({"params": {"path": values}} if values else {}) | ({"body": call.body} if call.body else {})
    text = PROGRAM.format(
        url=sandbox.url + service.prefix + service.base,
        token=sandbox.tokens.person(call.who),
        method=call.method,
        path=call.path,
        options=json.dumps(options, ensure_ascii=False)[1:-1],
    )
    generated = npm_tools.run(
        "openapi-typescript", DESCRIPTIONS / f"{service.name}.json", "-o", "api.ts", folder=folder
    )
    assert generated.returncode == 0, generated.stderr
    (folder / "main.ts").write_text(text)
    compiled = npm_tools.run("tsc", folder=folder)
    assert compiled.returncode == 0, compiled.stdout
    called = subprocess.run(
        ["node", "main.js"], cwd=folder, env=os.environ, capture_output=True, text=True, check=False
    )
    assert called.returncode == 0, called.stderr
    assert str(json.loads(called.stdout)[call.shows]) == call.expected
