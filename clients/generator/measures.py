"""Measures what a client costs: the size of its package, and the time and memory that its import takes."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

RUNS = 5
# The dependencies are imported first, because most programs that use the client import them anyway. `getrusage` is not
# used: its peak starts at the parent process's peak, which would hide the import.
_PYTHON = """
import sys, time
import httpx, msgspec, psutil
sys.path.insert(0, sys.argv[1])
process = psutil.Process()
before, began = process.memory_info().rss, time.perf_counter()
import balcao_client.registry
print(time.perf_counter() - began, (process.memory_info().rss - before) / 1024)
"""
_NODE = """
await import("node:url");
const before = process.memoryUsage().rss, began = performance.now();
await import(process.argv[1]);
console.log((performance.now() - began) / 1000, (process.memoryUsage().rss - before) / 1024);
"""


@dataclass(frozen=True)
class Measures:
    """The package size in bytes, and the lowest import time (seconds) and memory (KiB) of several runs.

    For Python, the import includes the largest service.
    """

    package: str
    size: int
    seconds: float
    memory: float

    def __str__(self) -> str:
        return f"{self.package}: {self.size // 1024} KiB, {self.seconds * 1000:.0f} ms, {self.memory / 1024:.1f} MiB"


def measure_python(wheel: Path) -> Measures:
    """Measure a wheel.

    The wheel is imported without being installed. The measurement does not include the import of its dependencies.
    """
    return _measure(wheel, [sys.executable, "-c", _PYTHON, str(wheel)])


def measure_typescript(package: Path, entry: Path) -> Measures:
    """Measure a package. `entry` is the compiled module, in a folder from which its dependency can be found."""
    return _measure(package, ["node", "--input-type=module", "-e", _NODE, str(entry)])


def _measure(package: Path, command: list[str]) -> Measures:
    found = []
    for _ in range(RUNS):
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        found.append((float(printed[0]), float(printed[1])))
    return Measures(
        package.name, package.stat().st_size, min(each[0] for each in found), min(each[1] for each in found)
    )
