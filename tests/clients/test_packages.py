"""The packages of our clients are small, and their builds are reproducible."""

from pathlib import Path

import pytest

from clients.generator.measures import measure_python, measure_typescript
from tests.clients import client_builds
from tests.support.proof_sizes import FULL, report

pytestmark = [pytest.mark.node, pytest.mark.sdk]


def read_sources(folder: Path) -> dict[str, bytes]:
    """Return the generated files by path, without build output and installed packages."""
    found = (file for file in folder.rglob("*") if file.is_file() and not {"node_modules", "build"} & set(file.parts))
    return {str(file.relative_to(folder)): file.read_bytes() for file in found}


@pytest.mark.proof
def test_the_python_client_is_made_twice_of_the_same_bytes(tmp_path: Path) -> None:
    one, other = client_builds.build_python_once(), client_builds.build_python(tmp_path)
    assert one.read_bytes() == other.read_bytes()
    assert read_sources(one.parent / "python" / "src") == read_sources(other.parent / "python" / "src")
    measured = measure_python(one)
    assert measured.memory > 1024, "the types of a service take megabytes in every process"
    report(f"Python client: {measured}")


@pytest.mark.proof
def test_the_typescript_client_is_made_twice_of_the_same_bytes(tmp_path: Path) -> None:
    one = client_builds.build_typescript_once()
    if FULL:  # compiling and packing take almost a minute
        assert one.read_bytes() == client_builds.build_typescript(tmp_path).read_bytes()
    else:
        client_builds.write_typescript(tmp_path)
    made, again = (read_sources(folder / "typescript" / "src") for folder in (one.parent, tmp_path))
    assert made == again
    installed = client_builds.install_typescript(one, tmp_path / "project")
    entry = installed / "node_modules" / "@balcao" / "client" / "lib" / "index.js"
    report(f"TypeScript client: {measure_typescript(one, entry)}")
