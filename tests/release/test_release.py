"""A second build of a release is identical, its checksums and signature are valid, and changed files are rejected."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from balcao import __version__
from balcao.installed import parse_lock
from tests.release.repository import Repository, run
from tests.support.polling import PATIENCE
from tests.support.server import free_port
from tests.support.terminal import Serving, Terminal, open_folder, remove
from tools.release import building, sbom, signing
from tools.release.components import ROOT, list_bundled
from tools.release.licences import Refused

pytestmark = [pytest.mark.long, pytest.mark.node, pytest.mark.sdk]

# This program prints the file from which the trial was imported, and a token from the trial's identity provider.
TOKEN_OF_A_DEMO_PERSON = """
import balcao_sandbox, sys
from balcao.__main__ import main
print(balcao_sandbox.__file__)
sys.argv = ["balcao", "token", "ana"]
main()
"""
# These programs list the health units with a client library, as the README of the library shows.
UNITS = """
import sys
from balcao_client import Balcao, ClientCredentials
with Balcao(sys.argv[1], ClientCredentials("painel-saude", "sandbox-painel-saude-secret")) as balcao:
    for unit in balcao.health_units.iterate_units():
        print(unit.nome)
"""
UNITS_FOR_NODE = """
import {{ Balcao, clientCredentials }} from "{}";
const machine = clientCredentials({{ clientId: "painel-saude", clientSecret: "sandbox-painel-saude-secret" }});
const balcao = new Balcao(process.argv[1], machine);
for await (const unit of balcao.healthUnits.iterateUnits()) console.log(unit.nome);
"""
DAY = f"## {__version__} (2026-11-22)"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return a repository with the current source."""
    folder = tmp_path_factory.mktemp("repository")
    listed = run("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    for name in listed.rstrip("\0").split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    made = Repository(folder)
    made.commit("First")
    return made


@pytest.fixture(scope="module")
def release(repository: Repository, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return building.build(repository.folder, tmp_path_factory.mktemp("dist"))


@pytest.fixture
def copy(release: Path, tmp_path: Path) -> Path:
    """Return a copy of the release, which the test may change."""
    return Path(shutil.copytree(release, tmp_path / release.name))


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("key") / "id"
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", made)
    return made


@pytest.fixture
def signers(key: Path, tmp_path: Path) -> Path:
    return list_signer(key, tmp_path / "allowed_signers")


def list_signer(key: Path, file: Path) -> Path:
    file.write_text(f'{signing.SIGNER} namespaces="{signing.PURPOSE}" {key.with_suffix(".pub").read_text()}')
    return file


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.proof
@pytest.mark.usefixtures("umask")
def test_whoever_builds_the_commit_again_gets_the_same_bytes(
    repository: Repository, release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Build from a clone with other file permissions and in another time zone."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    run("git", "clone", "--quiet", repository.folder, tmp_path / "clone")
    again = building.build(tmp_path / "clone", tmp_path / "dist")
    assert {path.name: path.read_bytes() for path in again.iterdir()} == (
        {path.name: path.read_bytes() for path in release.iterdir()}
    )


def test_the_sums_are_those_of_every_file(release: Path) -> None:
    summed = {line.split()[1] for line in (release / "SHA256SUMS").read_text().splitlines()}
    assert summed == {path.name for path in release.iterdir()} - {"SHA256SUMS"}
    assert summed >= {
        f"balcao-{__version__}.tar.gz",
        f"balcao-{__version__}.cdx.json",
        "statements.md",
        f"balcao_sandbox-{__version__}-py3-none-any.whl",
        f"balcao_client-{__version__}-py3-none-any.whl",
        f"balcao-client-{__version__}.tgz",
        "requirements.lock",
        "requirements-sandbox.lock",
        "install.sh",
    }
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=release, check=True, capture_output=True)


@pytest.fixture
def unpacked(release: Path, tmp_path: Path) -> Path:
    return unpack(release, "balcao", tmp_path / "unpacked")


def unpack(release: Path, distribution: str, folder: Path) -> Path:
    with zipfile.ZipFile(release / f"{distribution}-{__version__}-py3-none-any.whl") as wheel:
        wheel.extractall(folder)
    return folder


def test_the_wheel_tells_its_commit_and_brings_the_versions_that_it_was_released_with(
    repository: Repository, unpacked: Path
) -> None:
    said = run(sys.executable, "-m", "balcao", "--version", PYTHONPATH=str(unpacked))
    assert said == f"balcao {__version__} ({repository.git('rev-parse', 'HEAD')[:12]})\n"
    assert (unpacked / "balcao/requirements.lock").read_bytes() == (ROOT / "requirements.lock").read_bytes()


def test_nothing_of_the_trial_lies_in_the_wheel_of_the_program(unpacked: Path) -> None:
    assert {path.name for path in unpacked.iterdir()} == {"balcao", f"balcao-{__version__}.dist-info"}


def test_the_wheel_of_the_trial_holds_its_files_as_they_stand_in_the_source(release: Path, tmp_path: Path) -> None:
    wheel = unpack(release, "balcao_sandbox", tmp_path / "trial")
    listed = run("git", "-C", ROOT / "src", "ls-files", "--cached", "--others", "--exclude-standard", "balcao_sandbox")
    source = {name for name in listed.split() if (ROOT / "src" / name).is_file()} - {"balcao_sandbox/pyproject.toml"}
    packed = wheel / "balcao_sandbox"
    assert {str(path.relative_to(wheel)) for path in packed.rglob("*") if path.is_file()} == source
    for name in source:
        assert (wheel / name).read_bytes() == (ROOT / "src" / name).read_bytes()
    assert not any("/./" in line for line in next(wheel.glob("*.dist-info/RECORD")).read_text().splitlines())


@pytest.mark.proof
def test_with_both_wheels_a_trial_starts_without_the_repository(release: Path) -> None:
    folder = open_folder()
    for distribution in ("balcao", "balcao_sandbox"):
        unpack(release, distribution, folder / "wheels")
    port = free_port()
    terminal, url = Terminal(folder, port=port), f"http://127.0.0.1:{port}"
    terminal.environment |= {"PYTHONPATH": str(folder / "wheels")}
    with Serving(terminal):
        told = subprocess.run(
            [sys.executable, "-c", TOKEN_OF_A_DEMO_PERSON],
            env=terminal.environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert told.returncode == 0, told.stderr
        used, token = told.stdout.split()
        assert Path(used).is_relative_to(folder)
        assert len(token.split(".")) == 3
        unpack(release, "balcao_client", folder / "client")
        assert run(sys.executable, "-c", UNITS, url, PYTHONPATH=str(folder / "client")).count("\n") > 5
        assert run("node", "--input-type=module", "-e", unpack_for_node(release, folder), url).count("\n") > 5
    remove(folder)


def unpack_for_node(release: Path, folder: Path) -> str:
    """Install the TypeScript client with its only dependency, and return a module that lists the health units."""
    modules = folder / "node_modules"
    (modules / "@balcao").mkdir(parents=True)
    run("tar", "-xzf", release / f"balcao-client-{__version__}.tgz", "-C", modules / "@balcao")
    (modules / "@balcao/package").rename(modules / "@balcao/client")
    for name in ("openapi-fetch", "openapi-typescript-helpers"):
        (modules / name).symlink_to(ROOT / "tools/openapi/node_modules" / name)
    return UNITS_FOR_NODE.format(modules / "@balcao/client/lib/index.js")


@pytest.mark.parametrize("profile", ["sandbox", "production"])
def test_doctor_names_packages_that_are_not_those_of_the_release(unpacked: Path, tmp_path: Path, profile: str) -> None:
    """In production, different package versions are a problem. A trial may run with a developer's packages."""
    lock = unpacked / "balcao/requirements.lock"
    lock.write_text("httpx==0.0.1\n" + lock.read_text("utf-8").replace("\nhttpx==", "\nhttpy=="), "utf-8")
    terminal = Terminal(tmp_path, port=free_port(), profile=profile)
    done = subprocess.run(
        [sys.executable, "-m", "balcao", "doctor", "--json"],
        env=terminal.environment | {"PYTHONPATH": str(unpacked)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    diagnosis = json.loads(done.stdout)
    (httpx, httpy) = diagnosis["parts"]["program"]["details"]["drift"]
    assert httpx == f"httpx {metadata.version('httpx')} (lista: 0.0.1)"
    assert httpy.startswith("httpy falta (lista: ")
    told = [sentence for sentence in diagnosis["problems"] if "Pacotes instalados diferem" in sentence]
    assert [httpx in sentence for sentence in told] == ([True] if profile == "production" else [])


def test_the_bill_of_materials_names_every_locked_package_with_its_files_and_what_lies_within(release: Path) -> None:
    document = (release / f"balcao-{__version__}.cdx.json").read_text("utf-8")
    sbom.check_sbom(document)
    bill = json.loads(document)
    found = {part["name"]: part for part in bill["components"]}
    locked = parse_lock((ROOT / "requirements-traces.lock").read_text("utf-8"))
    assert {(name, part["version"]) for name, part in found.items()} == (
        {(one.name, one.version) for one in locked} | {(one.name, one.version) for one in list_bundled()}
    )
    for one in locked:
        (files,) = found[one.name]["externalReferences"]
        assert {entry["content"] for entry in files["hashes"]} == set(one.hashes)
    assert all(part["licenses"] for part in found.values())
    assert found["opentelemetry-sdk"]["scope"] == "optional"
    assert found["hatchling"]["scope"] == "excluded"
    requires = {entry["ref"]: entry.get("dependsOn", []) for entry in bill["dependencies"]}
    assert found["httpx"]["purl"] in requires["balcao"]
    for part in list_bundled():  # our own files, even if they come from a package of PyPI
        assert found[part.name]["purl"] in requires["balcao"]
        assert [digest["content"] for digest in found[part.name]["hashes"]] == list(part.hashes)
    assert found["httpcore"]["purl"] in requires[found["httpx"]["purl"]]


def test_a_document_outside_of_the_schema_is_refused() -> None:
    with pytest.raises(Refused, match="CycloneDX"):
        sbom.check_sbom('{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [{"name": "x"}]}')


def test_what_is_not_committed_is_not_released(tmp_path: Path) -> None:
    run("git", "init", "--quiet", tmp_path)
    (tmp_path / "new").write_text("")
    run("git", "-C", tmp_path, "add", "new")
    with pytest.raises(Refused, match="sem commit"):
        building.build(tmp_path, tmp_path / "dist")


def test_a_trial_of_another_version_is_not_released(repository: Repository, tmp_path: Path) -> None:
    other = tmp_path / "other"
    run("git", "clone", "--quiet", "--shared", repository.folder, other)
    project = other / "src/balcao_sandbox/pyproject.toml"
    project.write_text(project.read_text("utf-8").replace(f'"{__version__}"', '"0.0.1"'), "utf-8")
    Repository(other).commit("Forget the version of the trial")
    with pytest.raises(Refused, match=f"não é da versão {__version__}"):
        building.build(other, tmp_path)


def test_only_a_version_that_is_whole_is_signed_and_only_by_whom_operators_know(
    repository: Repository, copy: Path, key: Path
) -> None:
    changes = repository.folder / "CHANGELOG.md"
    with pytest.raises(Refused, match=f"marca v{__version__}"):
        signing.sign(repository.folder, copy, key)
    repository.git("tag", f"v{__version__}")
    text = changes.read_text("utf-8")
    changes.write_text(text.replace(DAY, f"## {__version__} (unreleased)"), "utf-8")
    with pytest.raises(Refused, match="não diz o dia"):
        signing.sign(repository.folder, copy, key)
    changes.write_text(text.replace(f"## {__version__} (unreleased)", DAY), "utf-8")
    with pytest.raises(Refused, match="não está em docs/operate/allowed_signers"):
        signing.sign(repository.folder, copy, key)
    assert not (copy / "SHA256SUMS.sig").exists()
    signers = list_signer(key, repository.folder / signing.SIGNERS)
    signing.sign(repository.folder, copy, key)
    signing.verify(copy, signers)
    with (copy / "SHA256SUMS").open("a") as sums:
        sums.write("0" * 64 + "  other.whl\n")
    with pytest.raises(Refused):
        signing.verify(copy, signers)


def make_signature(release: Path, key: Path, purpose: str = signing.PURPOSE) -> None:
    run("ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", purpose, release / "SHA256SUMS")


class Installer:
    """install.sh runs on a machine where packages cannot be installed, and fails when it tries to install them."""

    def __init__(self, release: Path, folder: Path) -> None:
        self.release = release
        self.folder = folder
        self.commands = folder / "commands"
        self.commands.mkdir()
        for name in ("dpkg", "apt-get"):
            (self.commands / name).write_text("#!/bin/sh\nexit 1\n")
            (self.commands / name).chmod(0o755)

    def run(self, **more: object) -> str:
        environment = {
            "AUTH_ISSUER": "https://x.example",
            "PUBLIC_URL": "https://y.example",
            "PATH": f"{self.commands}:{os.environ['PATH']}",
            "PYTHON": "false",
        }
        places = {name: self.folder / name for name in ("PREFIX", "ETC", "STATE", "RUN", "FILES")}
        done = subprocess.run(
            ["sh", ROOT / "docs/operate/install.sh", self.release / f"balcao-{__version__}-py3-none-any.whl"],
            env=environment | {name: str(value) for name, value in (places | more).items()},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 1
        assert not any(place.exists() for place in places.values())
        return done.stdout + done.stderr


GOES_ON = "Pacotes do Debian"


@pytest.fixture
def installer(copy: Path, tmp_path: Path) -> Installer:
    return Installer(copy, tmp_path)


def test_the_script_installs_what_is_signed_by_whom_the_operator_trusts(
    installer: Installer, key: Path, signers: Path
) -> None:
    make_signature(installer.release, key)
    assert "NÃO foi conferida" in installer.run()
    said = installer.run(ALLOWED_SIGNERS=signers)
    assert GOES_ON in said
    assert "NÃO" not in said


@pytest.mark.parametrize("purpose", [None, "git"])
def test_the_script_takes_no_release_without_the_signature_that_the_operator_asks_for(
    installer: Installer, key: Path, signers: Path, purpose: str | None
) -> None:
    if purpose:
        make_signature(installer.release, key, purpose)
    said = installer.run(ALLOWED_SIGNERS=signers)
    assert "Nada foi instalado" in said
    assert GOES_ON not in said


@pytest.mark.parametrize("name", [f"balcao-{__version__}-py3-none-any.whl", "requirements.lock"])
def test_the_script_takes_no_file_that_was_changed_or_that_the_sums_do_not_name(
    installer: Installer, name: str
) -> None:
    assert GOES_ON in installer.run()
    sums, file = installer.release / "SHA256SUMS", installer.release / name
    listed = sums.read_text()
    with file.open("ab") as target:
        target.write(b"\n")
    assert f"{name} não é o arquivo da edição" in installer.run()
    sums.write_text("".join(line for line in listed.splitlines(keepends=True) if name not in line))
    said = installer.run()
    assert f"{name} não é o arquivo da edição" in said
    assert GOES_ON not in said
