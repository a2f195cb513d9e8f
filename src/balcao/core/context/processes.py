"""The position of this process among the machine's processes, and the folder that they share."""

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ProcessGroup:
    """Process `number` of `count` with the same `role`. Without a folder, the process shares nothing.

    The replacement for a dead process takes over its role, number and counts.
    """

    folder: Path | None = None
    number: int = 0
    count: int = 1
    role: str = "api"

    @property
    def name(self) -> str:
        """The name of this process in logs, metrics and files."""
        return f"{self.role}-{self.number}"

    @property
    def counts_file(self) -> Path | None:
        return self.folder and self.folder / f"counts-{self.role}"

    @property
    def metrics_folder(self) -> Path | None:
        return self.folder and self.folder / "metrics"


SINGLE_PROCESS = ProcessGroup()


def prepare_group(folder: Path) -> None:
    """Create the folder before a supervisor starts the group.

    Metrics start at zero, as for any new program. The counts of rate limits are retained.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.rmtree(folder / "metrics", ignore_errors=True)
    (folder / "metrics").mkdir(mode=0o700)
