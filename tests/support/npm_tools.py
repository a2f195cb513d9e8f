"""The npm tools in `tools/openapi`, which check the API descriptions and the pages."""

import os
import subprocess
from pathlib import Path

import pytest

MISSING = (
    "Estes testes precisam de Node e das ferramentas de tools/openapi: ponha a pasta delas em BALCAO_NODE_TOOLS "
    '(`tools/node` as instala e a mostra), ou deixe-os de fora com -m "not node".'
)


def modules() -> Path:
    """Return the folder of the installed packages, or fail the test with an instruction."""
    folder = os.environ.get("BALCAO_NODE_TOOLS")
    if not folder:
        pytest.fail(MISSING, pytrace=False)
    return Path(folder) / "node_modules"


def run(tool: str, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a tool in a folder, with the tool's telemetry switched off."""
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1", "CI": "1"}
    command = [str(modules() / ".bin" / tool), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=os.environ | quiet, capture_output=True, text=True, check=False)
