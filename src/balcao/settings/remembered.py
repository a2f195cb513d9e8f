"""The port at which an installation with a data folder was last served.

Commands read it to find the running processes.
"""

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

_FILE = "port"


def add_port(fields: Mapping[str, str], default_folder: Path) -> dict[str, str]:
    """Add the port stored in the data folder, unless the fields set a port, a database or the production profile."""
    if fields.get("port") or fields.get("database_url") or fields.get("profile", "sandbox") != "sandbox":
        return dict(fields)
    port = _read_port(Path(fields.get("data_dir") or default_folder))
    return {**fields, "port": port} if port else dict(fields)


def add_trial(fields: Mapping[str, str], default_folder: Path) -> dict[str, str]:
    """Add the data folder in which a trial was served, unless the fields already determine the instance.

    Commands for a trial can therefore run in any folder.
    """
    if {"data_dir", "port", "database_url", "auth_issuer"} & fields.keys() or fields.get(
        "profile", "sandbox"
    ) != "sandbox":
        return dict(fields)
    found = next((folder for folder in list_places(default_folder) if _read_port(folder)), default_folder)
    return {**fields, "data_dir": str(found)}


def list_places(default_folder: Path) -> list[Path]:
    """Return the folders to search for a trial: in the current folder, and next to the virtual environment."""
    return list(dict.fromkeys((default_folder.absolute(), Path(sys.prefix).parent / default_folder.name)))


def describe_places(default_folder: Path = Path(".balcao")) -> str:
    """Return a sentence that names the searched folders, or "" if the environment determines the folder."""
    if any(os.environ.get(f"BALCAO_{name}") for name in ("DATA_DIR", "PORT", "DATABASE_URL", "AUTH_ISSUER")):
        return ""
    places = " e ".join(map(str, list_places(default_folder)))
    return f" A base foi procurada em {places}; se ela está em outra pasta, diga qual em BALCAO_DATA_DIR."


def file_in(folder: Path) -> Path:
    """Return the file that stores the port in the data folder."""
    return folder / _FILE


def remember_port(folder: Path, port: int) -> None:
    """Store the port in the data folder. Ignore errors, because serving does not depend on the file."""
    with contextlib.suppress(OSError):
        file_in(folder).write_text(f"{port}\n")


def _read_port(folder: Path) -> str:
    """Return the stored port, or an empty string if the file is missing or invalid."""
    try:
        text = file_in(folder).read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 65534 else ""
