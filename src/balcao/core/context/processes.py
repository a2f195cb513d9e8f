"""Which of the machine's processes this one is, and the folder in which they share what no database should carry."""

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ProcessGroup:
    """Process `number` of `count` that play one `role`; without a folder it shares nothing.

    A replacement for a process that died takes its role and number, and goes on with its counts.
    """

    folder: Path | None = None
    number: int = 0
    count: int = 1
    role: str = "api"

    @property
    def name(self) -> str:
        return f"{self.role}-{self.number}"

    @property
    def counts_file(self) -> Path | None:
        return self.folder and self.folder / f"counts-{self.role}"

    @property
    def metrics_folder(self) -> Path | None:
        return self.folder and self.folder / "metrics"


ALONE = ProcessGroup()


def prepare(folder: Path) -> None:
    """Make the folder, for a supervisor that is about to start the group.

    Metrics begin anew, as they do wherever a program is started; what callers have spent of their limits stays spent.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.rmtree(folder / "metrics", ignore_errors=True)
    (folder / "metrics").mkdir(mode=0o700)
