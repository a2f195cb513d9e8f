"""Detect that the disk of the embedded PostgreSQL is full, and report this to the operator."""

import errno
import os
import shutil
from pathlib import Path

# The size of one segment of the write-ahead log. PostgreSQL stops if less space is free. Its log file, which would
# contain the error, is on the same disk.
NEEDED_BYTES = 16 * 1024 * 1024


def is_disk_full(folder: Path) -> bool:
    """Return whether the disk of this folder has less free space than PostgreSQL needs."""
    return shutil.disk_usage(folder).free < NEEDED_BYTES


def reports_full_disk(output: str) -> bool:
    """Return whether the output of a PostgreSQL program reports a full disk."""
    return os.strerror(errno.ENOSPC) in output


def describe_full(folder: Path) -> str:
    """Return a message for the operator about the full disk of this folder."""
    return (
        f"O disco está cheio: o PostgreSQL embutido não consegue gravar em {folder}. "
        "Libere espaço, ou indique uma pasta de outro disco em BALCAO_DATA_DIR."
    )
