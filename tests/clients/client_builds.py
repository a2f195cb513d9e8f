"""Builds both generated clients and installs each in an empty environment."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from clients.generator import python, typescript
from tests.support import npm_tools, run_folder

MISSING = (
    "Estes testes precisam do que gera os clientes: ponha a pasta em BALCAO_SDK_TOOLS (`tools/sdk/install` o instala "
    'e a mostra), ou deixe-os de fora com -m "not sdk".'
)


def build_python_once() -> Path:
    """Return the Python client's wheel. Each test run builds it once."""
    return next(run_folder.make_once("python-client", build_python).glob("*.whl"))


def build_python(folder: Path) -> Path:
    """Write the Python client into a folder, build its wheel, and return the wheel's path."""
    python.write(folder / "python", _tools())
    return python.pack(folder / "python", folder)


def install_python(wheel: Path, folder: Path) -> Path:
    """Create an environment with only the wheel and its dependencies, and return its interpreter.

    The dependencies are linked from the tests' own environment, because tests download nothing.
    """
    _run([sys.executable, "-m", "venv", "--without-pip", folder])
    packages = next((folder / "lib").glob("python*")) / "site-packages"
    _run([sys.executable, "-m", "pip", "--quiet", "install", "--no-deps", "--no-index", f"--target={packages}", wheel])
    for name in _list_requirements("httpx", "msgspec"):
        for file in metadata.distribution(name).files or ():
            top = file.parts[0]
            if top != ".." and not (packages / top).exists():
                (packages / top).symlink_to(str(metadata.distribution(name).locate_file(top)))
    return folder / "bin" / "python"


def build_typescript_once() -> Path:
    """Return the TypeScript client's package. Each test run builds it once."""
    return next(run_folder.make_once("typescript-client", build_typescript).glob("*.tgz"))


def write_typescript(folder: Path) -> None:
    """Write the TypeScript client into a folder."""
    typescript.write(folder / "typescript", npm_tools.modules())


def build_typescript(folder: Path) -> Path:
    """Write, compile and pack the TypeScript client, and return the package's path."""
    write_typescript(folder)
    return typescript.pack(folder / "typescript", folder)


def install_typescript(package: Path, folder: Path) -> Path:
    """Create a project with only the package and its dependencies, and return its folder."""
    target = folder / "node_modules" / "@balcao" / "client"
    target.mkdir(parents=True)
    subprocess.run(
        ["tar", "-xzf", package, "-C", target.parent], check=True
    )  # Debian's Python has no extraction filters yet
    target.rmdir()
    (target.parent / "package").rename(target)
    for name in ("openapi-fetch", "openapi-typescript-helpers"):
        (folder / "node_modules" / name).symlink_to(npm_tools.modules() / name)
    (folder / "package.json").write_text(json.dumps({"type": "module"}), "utf-8")
    return folder


def _tools() -> Path:
    folder = os.environ.get("BALCAO_SDK_TOOLS")
    if not folder:
        pytest.fail(MISSING, pytrace=False)
    return Path(folder)


def _list_requirements(*names: str) -> set[str]:
    """Return these distributions and all their transitive requirements, without extras."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            asked = map(Requirement, metadata.requires(name) or ())
            waiting += [one.name for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def _run(command: list[str | Path]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
