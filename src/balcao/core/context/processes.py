"""Which of the machine's processes this one is, and the folder in which they share what no database should carry."""

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ProcessGroup:
    """Process `number` of `count` with the same `role`; without a folder it shares nothing.

    A replacement for a process that died takes over its role, its number and its counts.
    """

    folder: Path | None = None
    number: int = 0
    count: int = 1
    role: str = "api"

    @property
    def name(self) -> str:
        """Return the name of this process in logs, metrics and files."""
        return f"{self.role}-{self.number}"

    @property
    def counts_file(self) -> Path | None:
        return self.folder and self.folder / f"counts-{self.role}"

    @property
    def metrics_folder(self) -> Path | None:
        return self.folder and self.folder / "metrics"


ALONE = ProcessGroup()


def prepare_group(folder: Path) -> None:
    """Create the folder, for a supervisor that is about to start the group.

    Metrics begin anew, as for any program that starts; what callers have used of their limits stays used.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.rmtree(folder / "metrics", ignore_errors=True)
    (folder / "metrics").mkdir(mode=0o700)
