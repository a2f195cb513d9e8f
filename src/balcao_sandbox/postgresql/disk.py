"""Whether the embedded PostgreSQL has room on its disk, and the sentence for an operator when it has not."""

import errno
import os
import shutil
from pathlib import Path

# A segment of its write-ahead log: with less it does not go on. Its own log, which would say so, lies there too.
NEEDED_BYTES = 16 * 1024 * 1024


def has_no_room(folder: Path) -> bool:
    """Return whether the disk of this folder is as good as full."""
    return shutil.disk_usage(folder).free < NEEDED_BYTES


def is_told(output: str) -> bool:
    """Return whether a program of PostgreSQL ended for want of room, by what it wrote."""
    return os.strerror(errno.ENOSPC) in output


def describe_full(folder: Path) -> str:
    """Return the sentence that names the folder."""
    return (
        f"O disco está cheio: o PostgreSQL embutido não consegue gravar em {folder}. "
        "Libere espaço, ou indique uma pasta de outro disco em BALCAO_DATA_DIR."
    )
