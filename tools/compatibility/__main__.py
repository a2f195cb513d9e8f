"""Refuse changes that break what the previous release promised: `python -m tools.compatibility`, part of `make lint`.

It compares the API documents with those of the newest release tag before this commit, and the names of settings and
commands with those in the release's reference pages. `tests/invariants/test_migrations.py` does the same for tables.
A breaking change requires a new major version and a line of the changelog that names it. Without a tag there is nothing
to compare.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.previous_release import find_tag
from tools.release.building import ask_git
from tools.release.components import ROOT
from tools.release.licences import Refused

# The notice that callers get before an operation is removed, as in `core.http.deprecation`.
NOTICE_DAYS = 365
_SETTING = re.compile(r"`(BALCAO_[A-Z0-9_]+)`")
_COMMAND = re.compile(r"^\| `(balcao[^`]*)` \|([^|]*(?:\\\|[^|]*)*)\|", re.MULTILINE)
_OPTION = re.compile(r"`(--[a-z-]+)`")
_VERSION = re.compile(r"^## ([0-9]+)\.[0-9]+\.[0-9]+", re.MULTILINE)


class Break(NamedTuple):
    """A breaking change: the name that the changelog must mention, and what happened to it."""

    name: str
    change: str


def main(words: Sequence[str] | None = None) -> int:
    """Compare this tree with the previous release, and return the command's exit status."""
    arguments = argparse.ArgumentParser(prog="python -m tools.compatibility")
    arguments.add_argument("--repository", type=Path, default=ROOT)
    tree: Path = arguments.parse_args(words).repository
    try:
        tag = find_tag(tree)
    except Refused:
        tag = None  # an unpacked release has no history
    if tag is None:
        return 0
    try:
        found = [*compare_apis(tree, tag), *compare_settings(tree, tag), *compare_commands(tree, tag)]
    except Refused as fault:
        print(fault, file=sys.stderr)
        return 2
    if refused := list_undeclared(found, (tree / "CHANGELOG.md").read_text("utf-8"), tag):
        print(
            f"Estas mudanças quebram o que a {tag} prometeu:",
            *(f"{each.name}: {each.change}" for each in refused),
            "Desfaça-as, ou declare cada uma no CHANGELOG.md, pelo nome, em uma versão com outro primeiro número.",
            sep="\n  ",
            file=sys.stderr,
        )
        return 1
    return 0


def list_undeclared(found: Sequence[Break], changelog: str, tag: str) -> list[Break]:
    """Return the changes that the newest section of the changelog does not declare.

    A section declares a change if it contains the change's name and its version has another major number than the tag.
    """
    sections = _VERSION.split(changelog)  # the text before the first section, then a major number and a text for each
    major, newest = sections[1:3]
    if f"v{major}." == tag.partition(".")[0] + ".":
        return list(found)
    return [each for each in found if f"`{each.name}`" not in newest]


def compare_apis(tree: Path, tag: str) -> Iterator[Break]:
    """Yield the breaking changes of all API documents, as oasdiff finds them.

    The removal of an operation is no breaking change if the release announced it with a notice that has passed.
    """
    documents = ask_git(tree, "ls-tree", "--name-only", tag, "openapi/").split()
    with tempfile.TemporaryDirectory(prefix="balcao-compatibility-") as folder:
        for name in (name for name in documents if name.endswith(".json")):
            if not (tree / name).exists():
                yield Break(name, "o documento da API não existe mais")
                continue
            released = Path(folder, Path(name).name)
            released.write_text(read_released(tree, tag, name), "utf-8")
            yield from _run_oasdiff(released, tree / name)


def _run_oasdiff(released: Path, current: Path) -> Iterator[Break]:
    tool = subprocess.run([ROOT / "tools/oasdiff"], capture_output=True, text=True)
    if tool.returncode:
        raise Refused(tool.stderr.strip())
    command = [tool.stdout.strip(), "breaking", "--format=json", "--lang=pt-br", "--allow-external-refs=false"]
    command += [f"--deprecation-days-stable={NOTICE_DAYS}", str(released), str(current)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"O oasdiff não comparou {current.name}: {done.stderr.strip()}")
    for change in json.loads(done.stdout):
        yield Break(f"{change['operation']} {change['path']}", change["text"])


def compare_settings(tree: Path, tag: str) -> Iterator[Break]:
    """Yield the settings that this tree no longer has."""
    page = "docs/reference/settings.md"
    released, current = (_SETTING.findall(text) for text in (read_released(tree, tag, page), _read(tree, page)))
    yield from (Break(name, "a variável não existe mais") for name in sorted(set(released) - set(current)))


def compare_commands(tree: Path, tag: str) -> Iterator[Break]:
    """Yield the commands and options that this tree no longer has."""
    page = "docs/reference/commands.md"
    released, current = (
        {name: set(_OPTION.findall(words)) for name, words in _COMMAND.findall(text)}
        for text in (read_released(tree, tag, page), _read(tree, page))
    )
    for name, options in released.items():
        if name not in current:
            yield Break(name, "o comando não existe mais")
            continue
        yield from (Break(f"{name} {option}", "a opção não existe mais") for option in sorted(options - current[name]))


def read_released(tree: Path, tag: str, name: str) -> str:
    """Return the text of a file in the release."""
    return ask_git(tree, "show", f"{tag}:{name}")


def _read(tree: Path, name: str) -> str:
    return (tree / name).read_text("utf-8")


if __name__ == "__main__":
    sys.exit(main())
