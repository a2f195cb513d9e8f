"""Builds the files of a release from a commit: the same bytes for everybody who builds it with the same tools."""

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
# What goes with the program as it stands in the source.
_COPIED = (
    "requirements.lock",
    "requirements-sandbox.lock",
    "requirements-traces.lock",
    "docs/operate/install.sh",
    "docs/reference/licences.md",
)


class Commit(NamedTuple):
    """A commit and when it was made, in seconds since 1970."""

    number: str
    instant: int


def build(repository: Path, folder: Path) -> Path:
    """Build what is committed into a folder of the version's name in `folder`, and return that one.

    Raises Refused where changes wait to be committed, or where a part is not what the lists say.
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
        # The bill of materials is what a production server has: the program, without the trial.
        _describe(source, made, version, commit)
        _run_build(source / _TRIAL, made, commit, "--wheel")
        for path in _COPIED:
            shutil.copy(source / path, made)
        sums = "".join(f"{digest}  {name}\n" for name, digest in _list_sums(made).items())
        (made / SUMS).write_text(sums, "ascii")
        return _move(made, folder / f"balcao-{version}")


def ask_git(repository: Path, *words: str) -> str:
    """Return what git prints. Raises Refused where it fails."""
    done = subprocess.run(["git", "-C", str(repository), *words], capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def extract(repository: Path, commit: str, source: Path) -> None:
    """Extract the commit alone: nothing that lies about, and with its number written where .gitattributes says."""
    packed = subprocess.run(
        ["git", "-C", str(repository), "archive", "--format=tar", commit], capture_output=True, check=True
    )
    # Not `tarfile`: that of Debian 12's Python knows no filter, and that of later ones wants one.
    source.mkdir()
    subprocess.run(["tar", "-x", "-C", str(source)], input=packed.stdout, check=True)


def _run_build(source: Path, made: Path, commit: Commit, *only: str) -> None:
    """Build the source distribution, and the wheel from it, or only one, with the tools of this environment."""
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", *only, "--outdir", str(made), str(source)],
        env=os.environ | {"SOURCE_DATE_EPOCH": str(commit.instant)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Refused(done.stdout + done.stderr)


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


def _list_sums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def _move(made: Path, target: Path) -> Path:
    """Put the finished folder in its place; an earlier one of the version goes."""
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(made, target)
    return target
