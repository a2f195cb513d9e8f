"""Small disks, which tests fill completely. Only root can mount them."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Mount a small disk at the folder within the block. Requires root."""
    options = f"size={megabytes}m,mode=0755"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "balcao", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


class Ballast:
    """A file that fills its disk completely."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "ballast"

    def fill(self) -> None:
        with suppress(OSError), self._file.open("ab", buffering=0) as file:
            while True:
                file.write(b"." * 4096)

    def drop(self) -> None:
        self._file.unlink()
        self.dropped_at = time.monotonic()
