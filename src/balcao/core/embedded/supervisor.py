"""The embedded PostgreSQL: found, created, started, attached to, stopped, whatever state the last run left behind."""

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote

from balcao.core.embedded.account import (
    PORT,
    Account,
    EmbeddedError,
    binaries_for,
    private_socket_dir,
    settle,
    surroundings,
)

__all__ = ["EmbeddedError", "Running", "Server", "live", "start"]

NAME = "balcao"  # of the role, the database and the cluster
PATIENCE = 300.0  # seconds; recovery after a crash reads the log again before it answers

SETTINGS = {
    "cluster_name": NAME,
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A refused statement is told to who sent it. The log would keep the person's value that it names.
    "log_min_messages": "log",
    "log_error_verbosity": "terse",
}
FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class Server:
    data_dir: Path
    socket_dir: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://{NAME}@/{NAME}?host={quote(str(self.socket_dir))}&port={self.port}"


class Running:
    """A server that answers; `started` when this process supervises it, and then `stop` ends it."""

    def __init__(
        self, server: Server, process: subprocess.Popen[bytes] | None = None, lock: IO[bytes] | None = None
    ) -> None:
        self.server = server
        self.started = process is not None
        self._process = process
        self._lock = lock
        self._guard = _guard(process) if process else None

    @property
    def alive(self) -> bool:
        """Whether the server that this process started still runs."""
        return self._process is not None and self._process.poll() is None

    def wait(self) -> None:
        """Until the server that this process started has ended."""
        assert self._process
        self._process.wait()

    def stop(self) -> None:
        """Shut down, waiting for it. Does nothing to a server that another process supervises, and nothing twice."""
        if self._process is None or self._lock is None or self._lock.closed:
            return
        with self._lock:
            _end(self._process, self.server.data_dir)
            _dismiss(self._guard)
            with contextlib.suppress(OSError):
                self.server.socket_dir.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


# A line says that the server has ended; the end of input without one, that its supervisor has been killed.
_GUARD = 'read -r line || kill -INT "$1"'


def _guard(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """A shell that shuts the server down when we are killed: the kernel then closes the pipe that only we hold open.

    It has a session of its own, so that it survives a kill of our whole process group. Its two megabytes stand for an
    interpreter that would otherwise live only for this.
    """
    command = ["/bin/sh", "-c", _GUARD, "sh", str(process.pid)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def _dismiss(guard: subprocess.Popen[bytes] | None) -> None:
    if guard and guard.stdin:
        with contextlib.suppress(BrokenPipeError), guard.stdin as line:
            line.write(b"\n")
        guard.wait()


def start(folder: Path, *, durable: bool = True, attach: bool = True) -> Running:
    """The server of `folder`: started or, when a live process already supervises it, attached to.

    `attach=False` waits for that process's end. What an ended supervisor left behind (a running server, a half-made
    database, a stale pid file) is cleared first. `durable=False` is for tests: a crash of the machine may cost the
    data. Raises `EmbeddedError`, with a sentence for the operator.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        data, account = settle(folder)
        return _supervise_or_attach(data, account, folder / "postgres.log", durable, attach)
    except OSError as error:
        raise EmbeddedError(
            f"O PostgreSQL embutido não consegue usar a pasta {folder}: "
            f"{error.strerror} ({error.filename or 'sem arquivo'}). "
            "Confira as permissões e o espaço em disco, ou escolha outra pasta."
        ) from error


def live(folder: Path) -> Server | None:
    """The server of `folder` when one answers; starts nothing and changes nothing."""
    try:
        server = _recorded_server((folder.resolve() / "postgres").resolve())
    except OSError:
        return None
    return server if server and _answers(server) else None


def _supervise_or_attach(data: Path, account: Account, log: Path, durable: bool, attach: bool) -> Running:
    lock = account.open(data.parent / "postgres.lock")
    try:
        if server := _lock_or_live(lock, data, attach):
            lock.close()
            return Running(server)
        os.register_at_fork(after_in_child=lock.close)  # else a child that outlives us would pass for a supervisor
        return _supervise(data, account, log, durable, lock)
    except BaseException:
        lock.close()
        raise


def _lock_or_live(lock: IO[bytes], data: Path, attach: bool) -> Server | None:
    """None when the lock is now ours; otherwise the server that the lock's holder supervises, once it answers."""
    patient_until = time.monotonic() + PATIENCE
    while not _locked(lock):
        if attach and (server := _recorded_server(data)) and _answers(server):
            return server
        if time.monotonic() > patient_until:
            raise EmbeddedError(
                f"Outro processo do Balcão cuida dos dados em {data}, mas o servidor não responde. "
                "Encerre esse processo."
            )
        time.sleep(0.05)
    return None


def _locked(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _supervise(data: Path, account: Account, log: Path, durable: bool, lock: IO[bytes]) -> Running:
    _clear(data)
    binaries = binaries_for(data, account)
    if not (data / "PG_VERSION").exists():
        _create(data, account, binaries)
    server = Server(data, private_socket_dir(data.parent, account), PORT)
    process = _launch(_command(binaries, server, durable), server, account, log)
    return Running(server, process, lock)


def _clear(data: Path) -> None:
    """Stop the server of a supervisor that is gone, and drop its pid file: the number may since name any process."""
    if pid := _postmaster(data):
        if f"cluster_name={NAME}" not in _command_line(pid):
            raise EmbeddedError(
                f"Outro servidor PostgreSQL (processo {pid}) usa os dados em {data}. Pare-o antes de iniciar o Balcão."
            )
        _shut_down(pid, data)
    (data / "postmaster.pid").unlink(missing_ok=True)


def _create(data: Path, account: Account, binaries: Path) -> None:
    """Make the database aside and move it in place in one step: what is there is whole."""
    for unfinished in data.parent.glob(f"{data.name}.new-*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix=f"{data.name}.new-", dir=data.parent))
    account.own(fresh)
    access = ("--auth-local=trust", "--auth-host=reject")  # whoever enters the private folder of the socket is trusted
    _made(account, binaries / "initdb", "-D", fresh, "-U", NAME, "--encoding=UTF8", "--locale=C", *access)
    single = ("--single", "-D", fresh, "-c", "exit_on_error=on", "template1")
    _made(account, binaries / "postgres", *single, text=f"CREATE DATABASE {NAME};\n")
    fresh.rename(data)
    _sync(data.parent)


def _made(account: Account, *command: str | Path, text: str = "") -> None:
    done = account.run(*command, text=text)
    if done.returncode:
        raise EmbeddedError(f"O banco de dados não pôde ser criado: {_last_line(done.stderr)}")


def _sync(folder: Path) -> None:
    """Let the rename survive a power cut: rows are acknowledged from now on."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _command(binaries: Path, server: Server, durable: bool) -> list[str | Path]:
    settings = SETTINGS if durable else SETTINGS | FORGETFUL
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [binaries / "postgres", "-D", server.data_dir, "-k", server.socket_dir, "-p", str(server.port), *options]


def _launch(command: list[str | Path], server: Server, account: Account, log: Path) -> subprocess.Popen[bytes]:
    """Starts and waits for the first answer; again while children of a killed server still hold its memory."""
    patient_until = time.monotonic() + PATIENCE
    while True:
        with account.open(log) as output:
            heard = os.fstat(output.fileno()).st_size
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **account.switch, **surroundings()
            )
        if _came_up(process, server, log):
            return process
        said = log.read_bytes()[heard:].decode(errors="replace")
        if "pre-existing shared memory block" not in said or time.monotonic() > patient_until:
            raise EmbeddedError(f"O PostgreSQL embutido não iniciou: {_last_line(said, 'FATAL')} Veja {log}.")
        time.sleep(0.1)


def _came_up(process: subprocess.Popen[bytes], server: Server, log: Path) -> bool:
    """False when the process ended by itself."""
    try:
        if not _until(lambda: process.poll() is not None or _answers(server), PATIENCE):
            raise EmbeddedError(f"O PostgreSQL embutido não respondeu em {PATIENCE:.0f} segundos. Veja {log}.")
    except BaseException:
        _end(process, server.data_dir)
        raise
    return process.poll() is None


def _last_line(text: str, word: str = "") -> str:
    lines = [line for line in text.splitlines() if line.strip() and word in line]
    return lines[-1].strip() if lines else "nenhuma explicação."


def _end(process: subprocess.Popen[bytes], data: Path) -> None:
    if process.poll() is None:
        _shut_down(process.pid, data)
    process.wait()


def _shut_down(pid: int, data: Path) -> None:
    """Fast shutdown; a server that does not obey in two minutes is cut off, and recovers its rows at the next start."""
    for how, patience in ((signal.SIGINT, 120.0), (signal.SIGQUIT, 20.0), (signal.SIGKILL, 20.0)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)
        if _until(lambda: not _serves(pid, data), patience):
            return
    raise EmbeddedError(f"O PostgreSQL embutido (processo {pid}) não encerra. Encerre-o e inicie de novo.")


def _until(condition: Callable[[], bool], patience: float) -> bool:
    patient_until = time.monotonic() + patience
    while not condition():
        if time.monotonic() > patient_until:
            return False
        time.sleep(0.02)
    return True


def _recorded(data: Path) -> list[str]:
    """The lines of the pid file: process, data directory, time, port, socket directory, ..."""
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _recorded_server(data: Path) -> Server | None:
    lines = _recorded(data)
    return Server(data, Path(lines[4]), int(lines[3])) if len(lines) > 5 else None


def _postmaster(data: Path) -> int | None:
    """The live server of `data`: a number in a file proves nothing, the process itself does."""
    number = "".join(_recorded(data)[:1])
    return int(number) if number.isdigit() and _serves(int(number), data) else None


def _serves(pid: int, data: Path) -> bool:
    command = _command_line(pid)
    if Path(command.split(" -")[0]).name.strip() not in ("postgres", "postmaster"):
        return False
    try:
        return f" -D {data} " in command or Path(f"/proc/{pid}/cwd").readlink() == data
    except OSError:
        return False


def _command_line(pid: int) -> str:
    """Empty for a process that is gone or a zombie."""
    if sys.platform != "linux":
        return subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True).stdout
    try:
        return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes()).replace("\0", " ")
    except OSError:
        return ""


def _answers(server: Server) -> bool:
    """Whether a query works, and on these data: the protocol's start, one query and the goodbye, sent at once."""
    hello = f"user\0{NAME}\0database\0{NAME}\0\0".encode()
    query = b"SHOW data_directory\0"
    talk = (
        struct.pack("!ii", 8 + len(hello), 196608)
        + hello
        + b"Q"
        + struct.pack("!i", 4 + len(query))
        + query
        + b"X\0\0\0\4"
    )
    try:
        with socket.socket(socket.AF_UNIX) as wire:
            wire.settimeout(5)
            wire.connect(str(server.socket_dir / f".s.PGSQL.{server.port}"))
            wire.sendall(talk)
            return os.fsencode(server.data_dir) in b"".join(iter(lambda: wire.recv(8192), b""))
    except OSError:
        return False
