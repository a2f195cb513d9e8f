"""Detect a full disk of the embedded PostgreSQL, and describe it to the operator."""

import errno
import os
import shutil
from pathlib import Path

# One segment of the write-ahead log: PostgreSQL stops with less. Its own log file, which would contain the error, is on
# the same disk.
NEEDED_BYTES = 16 * 1024 * 1024


def has_no_room(folder: Path) -> bool:
    """Return whether the disk of this folder is nearly full."""
    return shutil.disk_usage(folder).free < NEEDED_BYTES


def is_told(output: str) -> bool:
    """Return whether a program of PostgreSQL failed because of a full disk, according to its output."""
    return os.strerror(errno.ENOSPC) in output


def describe_full(folder: Path) -> str:
    """Return the sentence with the folder."""
    return (
        f"O disco está cheio: o PostgreSQL embutido não consegue gravar em {folder}. "
        "Libere espaço, ou indique uma pasta de outro disco em BALCAO_DATA_DIR."
    )
