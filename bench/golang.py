"""The programs in `bench/go`: built where there is Go, left out where there is none."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parent / "go"


@dataclass(frozen=True)
class Programs:
    """`yardstick` is None where there is no Go; the load then comes from Python."""

    load: list[str]
    yardstick: str | None = None


def programs(folder: Path) -> Programs:
    """Raises CalledProcessError when the programs cannot be built."""
    go = shutil.which("go")
    if go is None:
        return Programs([sys.executable, "-m", "bench.loader"])
    built = folder / "go"
    built.mkdir()
    # Without the stamp of the version control, which fails in a checkout of another user's.
    command = [go, "build", "-buildvcs=false", "-o", str(built), "./yardstick", "./load"]
    subprocess.run(command, cwd=SOURCE, check=True)
    return Programs([str(built / "load")], str(built / "yardstick"))
