"""The programs in `bench/go`. They are built if Go is installed. Otherwise they are left out."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parent / "go"


@dataclass(frozen=True)
class Programs:
    """The commands of the programs. Without Go, `yardstick` is None, and `load` is the load generator in Python."""

    load: list[str]
    yardstick: str | None = None


def programs(folder: Path) -> Programs:
    """Build the load generator and the yardstick if Go is installed. Raises CalledProcessError if the build fails."""
    if shutil.which("go") is None:
        return Programs([sys.executable, "-m", "bench.loader"])
    return Programs([build(folder, "load")], build(folder, "yardstick"))


def build(folder: Path, name: str) -> str:
    """Build a program and return its path. Raises RuntimeError without Go, CalledProcessError if the build fails."""
    go = shutil.which("go")
    if go is None:
        raise RuntimeError("falta o Go, em que é escrito quem faz as chamadas")
    built = folder / "go" / name
    built.parent.mkdir(exist_ok=True)
    # Build without a version control stamp, which would fail in a checkout that belongs to another user.
    subprocess.run([go, "build", "-buildvcs=false", "-o", str(built), f"./{name}"], cwd=SOURCE, check=True)
    return str(built)
