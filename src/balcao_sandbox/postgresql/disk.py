"""Detects that the embedded PostgreSQL's disk is full, and reports this to the operator."""

import errno
import os
import shutil
from pathlib import Path

# The size of one segment of the write-ahead log. PostgreSQL stops if less space is free. Its log file is on the same
# disk, so it may not contain the error.
NEEDED_BYTES = 16 * 1024 * 1024


def is_disk_full(folder: Path) -> bool:
    """Return whether the folder's disk has less free space than PostgreSQL needs."""
    return shutil.disk_usage(folder).free < NEEDED_BYTES


def reports_full_disk(output: str) -> bool:
    """Return whether the output of a PostgreSQL program reports a full disk."""
    return os.strerror(errno.ENOSPC) in output


def describe_full(folder: Path) -> str:
    """Return a message that tells the operator that the folder's disk is full."""
    return (
        f"O disco está cheio: o PostgreSQL embutido não consegue gravar em {folder}. "
        "Libere espaço, ou indique uma pasta de outro disco em BALCAO_DATA_DIR."
    )
