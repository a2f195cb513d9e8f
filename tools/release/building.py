"""Builds the files of a release from a commit. Every build of a commit with the same tools produces the same bytes."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tools.release import components, sbom
from tools.release.licences import Refused

SUMS = "SHA256SUMS"
_TRIAL = "src/balcao_sandbox"
# Files to copy unchanged from the source into the release.
_COPIED = (
    "requirements.lock",
    "requirements-sandbox.lock",
    "requirements-traces.lock",
    "docs/operate/install.sh",
    "docs/reference/licences.md",
)


class Commit(NamedTuple):
    """A commit's hash and time, in seconds since 1970."""

    number: str
    instant: int


def build(repository: Path, folder: Path) -> Path:
    """Build the last commit in a subfolder of `folder` that is named after the version. Return the subfolder.

    Raises Refused if there are uncommitted changes, if the trial has another version, or if a component differs from
    the lists of versions.
    """
    if ask_git(repository, "status", "--porcelain", "--untracked-files=no"):
        raise Refused("Há mudanças sem commit: uma edição é feita do que está no repositório.")
    commit = Commit(ask_git(repository, "rev-parse", "HEAD"), int(ask_git(repository, "log", "-1", "--format=%ct")))
    with tempfile.TemporaryDirectory(prefix="balcao-release-") as name:
        source, made = Path(name, "source"), Path(name, "made")
        extract(repository, commit.number, source)
        _run_build(source, made, commit)
        (wheel,) = made.glob("*.whl")
        version = wheel.name.split("-")[1]
        # The bill of materials describes a production server, on which the trial is not installed.
        _describe(source, made, version, commit)
        _run_build(source / _TRIAL, made, commit, "--wheel")
        if not (made / f"balcao_sandbox-{version}-py3-none-any.whl").is_file():
            raise Refused(f"A demonstração não é da versão {version}: escreva-a com make version VERSION={version}.")
        _build_clients(source, Path(name, "clients"), made)
        for path in _COPIED:
            shutil.copy(source / path, made)
        _write_statements(source, made / "statements.md")
        sums = "".join(f"{digest}  {name}\n" for name, digest in _list_sums(made).items())
        (made / SUMS).write_text(sums, "ascii")
        return _move(made, folder / f"balcao-{version}")


def ask_git(repository: Path, *words: str) -> str:
    """Return the output of a git command. Raises Refused if it fails."""
    done = subprocess.run(["git", "-C", str(repository), *words], capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def extract(repository: Path, commit: str, source: Path) -> None:
    """Extract the committed files. `.gitattributes` makes git insert the commit's hash into them."""
    packed = subprocess.run(
        ["git", "-C", str(repository), "archive", "--format=tar", commit], capture_output=True, check=True
    )
    # Do not use `tarfile`: it has no filters in Debian 12's Python, and later versions require one.
    source.mkdir()
    subprocess.run(["tar", "-x", "-C", str(source)], input=packed.stdout, check=True)


def _run_build(source: Path, made: Path, commit: Commit, *only: str) -> None:
    """Build the source distribution and the wheel with the tools of this environment.

    `--wheel` builds only the wheel.
    """
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", *only, "--outdir", str(made), str(source)],
        env=os.environ | {"SOURCE_DATE_EPOCH": str(commit.instant)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Refused(done.stdout + done.stderr)


def _build_clients(source: Path, folder: Path, made: Path) -> None:
    """Build the client packages for Python and TypeScript from the API documents of the commit.

    The generators of this tree do the work, because the source of a commit has none installed.
    """
    tools = components.ROOT / "tools"
    if not shutil.which("node"):
        raise Refused("Uma edição contém os clientes, e o de TypeScript pede Node: instale-o e repita.")
    generate = [sys.executable, "-m", "clients.generator", str(folder), "--tools", str(tools)]
    for command in ([str(tools / "sdk" / "install")], generate):
        done = subprocess.run(
            command,
            cwd=source,
            env=os.environ | {"PYTHONPATH": os.pathsep.join((str(source / "src"), str(source)))},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise Refused(done.stdout + done.stderr)
    for package in (*folder.glob("*.whl"), *folder.glob("*.tgz")):
        shutil.copy(package, made)


def _describe(source: Path, made: Path, version: str, commit: Commit) -> None:
    document = sbom.write_sbom(
        version,
        commit.number,
        commit.instant,
        _list_sums(made),
        components.list_direct(source),
        [*components.list_packages(source), *components.list_bundled(source)],
    )
    (made / f"balcao-{version}.cdx.json").write_text(document, "utf-8")


def _write_statements(source: Path, page: Path) -> None:
    """Write the page of SQL statements for database administrators. The page is not in git."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.statements", str(page)],
        cwd=source,
        env=os.environ | {"PYTHONPATH": str(source / "src")},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Refused(done.stderr)


def _list_sums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def _move(made: Path, target: Path) -> Path:
    """Move the finished folder to its target. An earlier build of this version is replaced."""
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(made, target)
    return target
