"""`python -m tools.release.numbering VERSION [--unreleased]`: write a version into every file that contains it.

`balcao.__version__` is the version. The other files are copies, because their formats cannot refer to it. The release
date is today.
"""

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from packaging.version import InvalidVersion, Version

from tools.release.components import ROOT
from tools.release.licences import Refused

_VERSION = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)


def write_version(folder: Path, version: str, day: str | None) -> None:
    """Write the version into the files of a source folder. Without a release day, the version is unreleased.

    Raises Refused, before any file is changed, if the version is invalid or a file lacks the expected line.
    """
    try:
        parsed = Version(version)
    except InvalidVersion as fault:
        raise Refused(f"{version} não é uma versão: escreva, por exemplo, 1.2.0.") from fault
    status = "stable" if parsed.major and day else "beta"
    lines = {
        "src/balcao/__init__.py": [(_VERSION.pattern, f'__version__ = "{version}"')],
        "src/balcao_sandbox/pyproject.toml": [
            (r'^version = ".*"$', f'version = "{version}"'),
            (r'^    "balcao==.*",$', f'    "balcao=={version}",'),
        ],
        # If the newest version is already released, its heading stays, and the new one is inserted before it.
        "CHANGELOG.md": [
            (r"^(## \S+ \(unreleased\)\n\n|(?=## ))", f"## {version} ({day or 'unreleased'})\n\n"),
        ],
        "publiccode.yml": [
            (r"^softwareVersion: .*$", f"softwareVersion: {version}"),
            (
                r"^(releaseDate: .*\n)?developmentStatus: .*$",
                (f'releaseDate: "{day}"\n' if day else "") + f"developmentStatus: {status}",
            ),
        ],
    }
    changed = {path: _replace(path, (folder / path).read_text("utf-8"), found) for path, found in lines.items()}
    (former,) = _VERSION.findall((folder / "src/balcao/__init__.py").read_text("utf-8"))
    for examples in folder.glob("src/balcao/*/response_examples.json"):
        text = examples.read_text("utf-8")
        changed[str(examples.relative_to(folder))] = text.replace(f'"{former}"', f'"{version}"')
    for path, text in changed.items():
        (folder / path).write_text(text, "utf-8")


def _replace(path: str, text: str, lines: list[tuple[str, str]]) -> str:
    for pattern, line in lines:
        text, count = re.subn(pattern, line, text, count=1, flags=re.MULTILINE)
        if not count:
            raise Refused(f"{path}: falta uma linha da forma {pattern}.")
    return text


def main() -> None:
    """Write the version and tell the maintainer the next step."""
    arguments = argparse.ArgumentParser(prog="python -m tools.release.numbering")
    arguments.add_argument("version")
    arguments.add_argument("--unreleased", action="store_true", help="a versão ainda não tem data")
    said = arguments.parse_args()
    try:
        write_version(ROOT, said.version, None if said.unreleased else datetime.now(UTC).date().isoformat())
    except Refused as fault:
        sys.exit(str(fault))
    print(f"A versão é {said.version}. Agora escreva de novo o que a contém: make generated")


if __name__ == "__main__":
    main()
