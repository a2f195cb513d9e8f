"""The command `balcao` as an operator runs it: as a separate process, in a folder, with an environment."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil

from tests.support import forked_command, log_scan
from tests.support.polling import PATIENCE, until_now

BALCAO = Path(sys.executable).with_name("balcao")
LAST_LINE = "Ctrl-C encerra tudo"


def open_folder() -> Path:
    """Create a folder that the account of an embedded PostgreSQL can enter, even if root creates it."""
    folder = Path(tempfile.mkdtemp(prefix="balcao-cli-"))
    folder.chmod(0o755)
    return folder


class Terminal:
    """A terminal in a folder.

    `settings` become `BALCAO_` variables, and the tests' own `BALCAO_` variables are removed.
    """

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        own = {name: value for name, value in os.environ.items() if not name.startswith(("BALCAO_", "CRM_"))}
        self.environment = own | {f"BALCAO_{name.upper()}": str(value) for name, value in settings.items()}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return forked_command.run(words, self.folder, self.environment, PATIENCE)

    def json(self, *words: str) -> Any:
        """Run a command that must succeed, and return its output."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def refusal(self, *words: str) -> str:
        """Run a command that must fail, and return its error message, which must not contain a traceback."""
        done = self.run(*words)
        assert done.returncode not in (0, None), done.stdout
        assert "Traceback" not in done.stderr, done.stderr
        return done.stderr.strip()


class Serving:
    """A running `balcao serve`, or another `command`, as a context manager.

    `said` is the output of the command until it is ready. The command's log goes to `log`, or to the log of the whole
    run.
    """

    def __init__(self, terminal: Terminal, *words: str, command: str = "serve", log: Path | None = None) -> None:
        self._terminal = terminal
        self._words = (command, *words)
        self._log = log
        self.said = ""

    def __enter__(self) -> "Serving":
        output = Path(tempfile.mkstemp(prefix="balcao-said-")[1])
        log = self._log or log_scan.folder() / f"{output.name}.log"
        with output.open("wb") as out, log.open("ab") as errors:
            self.process = psutil.Popen(
                [str(BALCAO), *self._words],
                cwd=self._terminal.folder,
                env=self._terminal.environment,
                stdout=out,
                stderr=errors,
                start_new_session=True,
            )
        until_now(lambda: self.process.poll() is not None or LAST_LINE in output.read_text())
        self.said = output.read_text()
        output.unlink()
        assert LAST_LINE in self.said, f"it did not start: {log.read_text('utf-8', 'replace')[-2000:]}"
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE:
            self.interrupt()
        self.process.wait(PATIENCE)

    def family(self) -> list[psutil.Process]:
        """Return all processes that the command has started, including those of PostgreSQL."""
        found: list[psutil.Process] = self.process.children(recursive=True)
        return found

    def processes(self, role: str = "") -> list[psutil.Process]:
        """Return the platform's own processes. With `role`, return only the processes that have this role."""
        own = [(child, line) for child in self.family() if "balcao.operate.processes" in (line := command_line(child))]
        return [child for child, line in own if not role or role in line]

    def process_of(self, role: str) -> psutil.Process:
        """Wait until a process with this role exists, and return it."""
        found: list[psutil.Process] = []

        def there() -> bool:
            found[:] = self.processes(role)
            return bool(found)

        until_now(there)
        return found[0]

    def databases(self) -> list[psutil.Process]:
        """Return the processes of PostgreSQL."""
        return [child for child in self.family() if name(child) == "postgres"]

    def interrupt(self) -> int:
        """Send Ctrl-C to the whole process group, as a terminal does, and return the exit status."""
        os.killpg(self.process.pid, signal.SIGINT)
        status: int = self.process.wait(PATIENCE)
        return status


def command_line(process: psutil.Process) -> list[str]:
    """Return the command line. It is empty if the process has ended or is a zombie."""
    try:
        words: list[str] = process.cmdline()
    except psutil.NoSuchProcess:  # ZombieProcess is a subclass
        return []
    return words


def name(process: psutil.Process) -> str:
    """Return the process's name, or an empty string if the process has ended."""
    try:
        return str(process.name())
    except psutil.NoSuchProcess:
        return ""


def ended(processes: list[psutil.Process]) -> bool:
    """Wait for the processes. Return whether all of them ended within a generous time limit."""
    return not psutil.wait_procs(processes, timeout=PATIENCE)[1]


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
