"""What a data folder was last served with, so that every command finds its own instance: the port."""

import contextlib
from collections.abc import Mapping
from pathlib import Path

_FILE = "port"


def add_port(fields: Mapping[str, str], default_folder: Path) -> dict[str, str]:
    """Return the settings' fields with the port of the data folder, where they name neither port nor database."""
    if fields.get("port") or fields.get("database_url") or fields.get("profile", "sandbox") != "sandbox":
        return dict(fields)
    port = _read_port(Path(fields.get("data_dir") or default_folder))
    return {**fields, "port": port} if port else dict(fields)


def file_in(folder: Path) -> Path:
    """Return the file of the data folder that holds the port."""
    return folder / _FILE


def remember_port(folder: Path, port: int) -> None:
    """Write the port into the data folder; one that cannot be written to is no reason not to serve."""
    with contextlib.suppress(OSError):
        file_in(folder).write_text(f"{port}\n")


def _read_port(folder: Path) -> str:
    """Return the port; empty where there is none, or nothing that is one."""
    try:
        text = file_in(folder).read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 65534 else ""
