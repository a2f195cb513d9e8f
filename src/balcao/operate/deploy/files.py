"""Write generated files.

A file with other content is replaced only on request. An identical file is not rewritten, but its mode is set.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SECRET = 0o600
OPEN = 0o644


@dataclass(frozen=True)
class File:
    """A file to write. If it is secret, only its owner can read it, from the moment when it is created."""

    content: bytes
    mode: int = OPEN

    @classmethod
    def of(cls, text: str, mode: int = OPEN) -> "File":
        """Create a file from a string."""
        return cls(text.encode(), mode)


class FilesDiffer(Exception):
    """The files in `paths` exist with other content. Nothing was written."""

    def __init__(self, paths: list[Path]) -> None:
        super().__init__(paths)
        self.paths = paths


def write_files(folder: Path, files: Mapping[str, File], *, replace: bool) -> list[Path]:
    """Write the files to their paths in the folder, and return the paths of those that changed.

    Unless `replace` is set, raises FilesDiffer if a file exists with other content. Then nothing is written.
    """
    changed = [name for name, file in files.items() if _read(folder / name) != file.content]
    if not replace and (there := [folder / name for name in changed if (folder / name).exists()]):
        raise FilesDiffer(there)
    for name in changed:
        _write(folder / name, files[name])
    for name, file in files.items():
        (folder / name).chmod(file.mode)
    return [folder / name for name in changed]


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _write(path: Path, file: File) -> None:
    """Write to a temporary file and rename it, so that the file under its own name is always complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file.mode), "wb") as output:  # noqa: PTH123
        output.write(file.content)
    beside.replace(path)
