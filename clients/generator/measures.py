"""What the clients cost who uses them: the size of the package, the time and the memory that loading it takes."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

RUNS = 5
# The modules that the client itself needs are loaded first: they are there in whatever uses it.
_PYTHON = """
import resource, sys, time
import httpx, msgspec
sys.path.insert(0, sys.argv[1])
before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
import balcao_client.registry
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
_NODE = """
await import("node:url");
const before = process.memoryUsage().rss, began = performance.now();
await import(process.argv[1]);
console.log((performance.now() - began) / 1000, (process.memoryUsage().rss - before) / 1024);
"""


@dataclass(frozen=True)
class Measures:
    """Bytes of the package; of loading it, in Python with its largest service, the best of some runs: seconds, KiB."""

    package: str
    size: int
    seconds: float
    memory: float

    def __str__(self) -> str:
        return f"{self.package}: {self.size // 1024} KiB, {self.seconds * 1000:.0f} ms, {self.memory / 1024:.1f} MiB"


def measure_python(wheel: Path) -> Measures:
    """Measure a wheel, which is loaded as it is, in an interpreter that has loaded what it depends on."""
    return _measure(wheel, [sys.executable, "-c", _PYTHON, str(wheel)])


def measure_typescript(package: Path, entry: Path) -> Measures:
    """Measure a package; `entry` is its compiled module, beside which the one it depends on can be found."""
    return _measure(package, ["node", "--input-type=module", "-e", _NODE, str(entry)])


def _measure(package: Path, command: list[str]) -> Measures:
    found = []
    for _ in range(RUNS):
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        found.append((float(printed[0]), float(printed[1])))
    return Measures(
        package.name, package.stat().st_size, min(each[0] for each in found), min(each[1] for each in found)
    )
