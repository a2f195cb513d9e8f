"""Creates, starts, attaches to and stops the embedded PostgreSQL, and cleans up after an earlier run."""

import contextlib
import errno
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
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote

from balcao.operate.postgresql.accounts import RESTORE, Account, PostgresqlError, child_options, describe_damage
from balcao.operate.postgresql.data_directory import locate_data
from balcao.operate.postgresql.programs import find_binaries
from balcao_sandbox.postgresql import disk
from balcao_sandbox.postgresql.refusal import explain_refusal, find_last_line
from balcao_sandbox.postgresql.sockets import PORT, make_socket_dir
from balcao_sandbox.postgresql.waiting import wait_until

__all__ = ["PostgresqlError", "Running", "Server", "find_running", "start"]

NAME = "balcao"  # the name of the role, the database and the cluster
START_SECONDS = 300.0  # long, because the server may first recover from a crash

SETTINGS = {
    "cluster_name": NAME,
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Do not log failed statements, because they could expose personal data. Clients still receive the errors.
    "log_min_messages": "log",
    "log_error_verbosity": "terse",
    # PostgreSQL syncs all files before a recovery. With `syncfs`, that takes one call instead of one for each of 2,300
    # files.
    **({"recovery_init_sync_method": "syncfs"} if sys.platform == "linux" else {}),
}
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class Server:
    """A PostgreSQL server that listens on a Unix socket in `socket_dir`."""

    data_dir: Path
    socket_dir: Path
    port: int

    @property
    def url(self) -> str:
        """Return the connection URL for clients."""
        return f"postgresql://{NAME}@/{NAME}?host={quote(str(self.socket_dir))}&port={self.port}"


class Running:
    """A running server. If `started` is True, this process supervises the server, and `stop` shuts it down."""

    def __init__(
        self, server: Server, process: subprocess.Popen[bytes] | None = None, lock: IO[bytes] | None = None
    ) -> None:
        self.server = server
        self.started = process is not None
        self._process = process
        self._lock = lock
        self._guard = _start_guard(process) if process else None

    @property
    def alive(self) -> bool:
        """Whether this process started the server, and the server still runs."""
        return self._process is not None and self._process.poll() is None

    def wait(self) -> None:
        """Wait until the server has ended. This process must have started it."""
        assert self._process
        self._process.wait()

    def explain_end(self) -> str:
        """Explain from the server's log why the server has ended."""
        log = self.server.data_dir.with_name("postgres.log")
        return explain_refusal(log.read_text(errors="replace"), log)

    def stop(self) -> None:
        """Shut the server down and wait until it has ended. Do nothing if another process supervises it."""
        if self._process is None or self._lock is None or self._lock.closed:
            return
        with self._lock:
            _end(self._process, self.server.data_dir)
            _dismiss_guard(self._guard)
            with contextlib.suppress(OSError):
                self.server.socket_dir.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


# A shell script that reads its standard input. If it reads a line, the server has ended normally. If the input ends
# without a line, the supervisor was killed, and the script stops the server.
_GUARD = 'read -r line || kill -INT "$1"'


def _start_guard(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """Start a shell that stops the server if this process is killed.

    Only this process holds the write end of the shell's input pipe, and the kernel closes that end when the process
    dies. The shell has its own session, so that it survives even if the whole process group is killed. It needs only
    two megabytes, much less than a Python interpreter.
    """
    command = ["/bin/sh", "-c", _GUARD, "sh", str(process.pid)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def _dismiss_guard(guard: subprocess.Popen[bytes] | None) -> None:
    if guard and guard.stdin:
        with contextlib.suppress(BrokenPipeError), guard.stdin as line:
            line.write(b"\n")
        guard.wait()


def start(folder: Path, *, durable: bool = True, attach: bool = True) -> Running:
    """Start the server in `folder`. If another process already supervises it, attach to that server.

    With `attach=False`, wait for that process to end instead of attaching. If an earlier supervisor left a running
    server, an incomplete database or a stale pid file, clean them up first. Use `durable=False` only in tests: data may
    be lost if the machine crashes. Raises PostgresqlError with a message for the operator.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        data, account = locate_data(folder)
        return _supervise_or_attach(data, account, folder / "postgres.log", durable, attach)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise PostgresqlError(disk.describe_full(folder)) from error
        raise PostgresqlError(
            f"O PostgreSQL embutido não consegue usar a pasta {folder}: "
            f"{error.strerror} ({error.filename or 'sem arquivo'}). "
            "Confira as permissões e o espaço em disco, ou escolha outra pasta."
        ) from error


def find_running(folder: Path) -> Server | None:
    """Return the server in `folder` if it responds, or else None. This neither starts nor changes anything."""
    try:
        server = _read_server((folder.resolve() / "postgres").resolve())
    except OSError:
        return None
    return server if server and _responds(server) else None


def _supervise_or_attach(data: Path, account: Account, log: Path, durable: bool, attach: bool) -> Running:
    lock = account.open(data.parent / "postgres.lock")
    try:
        if server := _lock_or_find(lock, data, attach):
            lock.close()
            return Running(server)
        os.register_at_fork(after_in_child=lock.close)  # a child may outlive this process but must not hold the lock
        return _supervise(data, account, log, durable, lock)
    except BaseException:
        lock.close()
        raise


def _lock_or_find(lock: IO[bytes], data: Path, attach: bool) -> Server | None:
    """Acquire the lock and return None. If another process holds it, return the server that this process supervises.

    Raises PostgresqlError if neither a lock nor a responding server is available in time.
    """
    found: Server | None = None

    def is_decided() -> bool:
        nonlocal found
        if _try_lock(lock):
            return True
        server = _read_server(data) if attach else None
        found = server if server and _responds(server) else None
        return found is not None

    if not wait_until(is_decided, START_SECONDS):
        raise PostgresqlError(
            f"Outro processo do Balcão cuida dos dados em {data}, mas o servidor não responde. Encerre esse processo."
        )
    return found


def _try_lock(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _supervise(data: Path, account: Account, log: Path, durable: bool, lock: IO[bytes]) -> Running:
    _stop_leftover(data)
    binaries = find_binaries(data, account)
    if not (data / "PG_VERSION").exists():
        _create(data, account, binaries)
    server = Server(data, make_socket_dir(data.parent, account), PORT)
    process = _launch(_build_command(binaries, server, durable), server, account, log)
    return Running(server, process, lock)


def _stop_leftover(data: Path) -> None:
    """Stop a server whose supervisor has ended, and delete its pid file.

    Raises PostgresqlError if the server is not an embedded one.
    """
    if pid := _find_postmaster(data):
        if f"cluster_name={NAME}" not in _read_command_line(pid):
            raise PostgresqlError(
                f"Outro servidor PostgreSQL (processo {pid}) usa os dados em {data}. Pare-o antes de iniciar o Balcão."
            )
        _shut_down(pid, data)
    (data / "postmaster.pid").unlink(missing_ok=True)


def _create(data: Path, account: Account, binaries: Path) -> None:
    """Create the database in a temporary folder, and rename the folder at the end.

    A database folder with the final name is therefore always complete.
    """
    if data.exists() and any(data.iterdir()):
        raise PostgresqlError(describe_damage(data, "falta o arquivo PG_VERSION"))
    for unfinished in data.parent.glob(f"{data.name}.new-*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix=f"{data.name}.new-", dir=data.parent))
    account.own(fresh)
    access = ("--auth-local=trust", "--auth-host=reject")  # the socket folder is private and so controls access
    _run_or_raise(
        data.parent, account, binaries / "initdb", "-D", fresh, "-U", NAME, "--encoding=UTF8", "--locale=C", *access
    )
    single = ("--single", "-D", fresh, "-c", "exit_on_error=on", "template1")
    _run_or_raise(data.parent, account, binaries / "postgres", *single, text=f"CREATE DATABASE {NAME};\n")
    fresh.rename(data)
    _sync(data.parent)


def _run_or_raise(folder: Path, account: Account, *command: str | Path, text: str = "") -> None:
    done = account.run(*command, text=text)
    if done.returncode and disk.reports_full_disk(done.stderr):
        raise PostgresqlError(disk.describe_full(folder))
    if done.returncode:
        raise PostgresqlError(
            f"O banco de dados não pôde ser criado: {find_last_line(done.stderr) or 'sem explicação.'}"
        )


def _sync(folder: Path) -> None:
    """Sync a folder to disk, so that the new database still has its final name after a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _build_command(binaries: Path, server: Server, durable: bool) -> list[str | Path]:
    settings = SETTINGS if durable else SETTINGS | NOT_DURABLE
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [binaries / "postgres", "-D", server.data_dir, "-k", server.socket_dir, "-p", str(server.port), *options]


def _launch(command: list[str | Path], server: Server, account: Account, log: Path) -> subprocess.Popen[bytes]:
    """Start the server and wait until it responds.

    Retry while child processes of a killed server still use its shared memory. Raises PostgresqlError with the reason
    if the server does not start.
    """
    deadline = time.monotonic() + START_SECONDS
    while True:
        with account.open(log) as output:
            written = os.fstat(output.fileno()).st_size
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **account.switch, **child_options()
            )
        if _wait_until_up(process, server, log):
            return process
        output_text = log.read_bytes()[written:].decode(errors="replace")
        if "pre-existing shared memory block" not in output_text or time.monotonic() > deadline:
            raise PostgresqlError(explain_refusal(output_text, log))
        time.sleep(0.1)


def _wait_until_up(process: subprocess.Popen[bytes], server: Server, log: Path) -> bool:
    """Wait until the server responds. Return False if its process has ended by itself."""
    try:
        if not wait_until(lambda: process.poll() is not None or _is_up(server, log), START_SECONDS):
            raise PostgresqlError(f"O PostgreSQL embutido não respondeu em {START_SECONDS:.0f} segundos. Veja {log}.")
    except BaseException:
        _end(process, server.data_dir)
        raise
    return process.poll() is None


def _end(process: subprocess.Popen[bytes], data: Path) -> None:
    if process.poll() is None:
        _shut_down(process.pid, data)
    process.wait()


def _shut_down(pid: int, data: Path) -> None:
    """Shut a server down with PostgreSQL's fast mode.

    If this takes more than two minutes, use the immediate mode, then kill the server. After that, it recovers its data
    at the next start.
    """
    for signal_number, seconds in ((signal.SIGINT, 120.0), (signal.SIGQUIT, 20.0), (signal.SIGKILL, 20.0)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal_number)
        if wait_until(lambda: not _serves(pid, data), seconds):
            return
    raise PostgresqlError(f"O PostgreSQL embutido (processo {pid}) não encerra. Encerre-o e inicie de novo.")


def _read_pid_file(data: Path) -> list[str]:
    """Return the lines of the pid file: process id, data directory, start time, port, socket directory and others.

    Return an empty list if there is no pid file.
    """
    try:
        return (data / "postmaster.pid").read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _read_server(data: Path) -> Server | None:
    lines = _read_pid_file(data)
    is_whole = len(lines) > 5 and lines[3].isdecimal()
    return Server(data, Path(lines[4]), int(lines[3])) if is_whole else None


def _find_postmaster(data: Path) -> int | None:
    """Return the id of the process that serves `data`, or None.

    Check that such a process exists, because the pid file may be stale.
    """
    number = "".join(_read_pid_file(data)[:1])
    return int(number) if number.isdecimal() and _serves(int(number), data) else None


def _serves(pid: int, data: Path) -> bool:
    command = _read_command_line(pid)
    if Path(command.split(" -")[0]).name.strip() not in ("postgres", "postmaster"):
        return False
    try:
        return f" -D {data} " in command or Path(f"/proc/{pid}/cwd").readlink() == data
    except OSError:
        return False


def _read_command_line(pid: int) -> str:
    """Return a process's command line. Return an empty string if the process does not exist or is a zombie."""
    if sys.platform != "linux":
        return subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True).stdout
    try:
        return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes()).replace("\0", " ")
    except OSError:
        return ""


# SQLSTATE codes of errors that do not disappear with time: the database does not exist, or its files are damaged.
_DAMAGED = (b"C3D000\0", b"C58P01\0", b"C58030\0", b"C22023\0", b"CXX001\0", b"CXX002\0")
# After a recovery on a full disk, no session can start, because each session writes its catalogue cache to a file.
_FULL = b"C53100\0"


def _is_up(server: Server, log: Path) -> bool:
    """Return whether the server responds. Raises PostgresqlError if the disk is full or the database is damaged."""
    answer = _ask(server)
    if _FULL in answer:
        raise PostgresqlError(disk.describe_full(log.parent))
    if any(code in answer for code in _DAMAGED):
        raise PostgresqlError(
            f"Os dados em {server.data_dir} estão danificados: o banco não abre. Veja {log}. {RESTORE}"
        )
    return os.fsencode(server.data_dir) in answer


def _responds(server: Server) -> bool:
    """Return whether the server responds to a query and serves this data folder."""
    return os.fsencode(server.data_dir) in _ask(server)


def _ask(server: Server) -> bytes:
    """Ask the server for its data folder. Return its raw response, or empty bytes if it cannot be reached.

    This works without a driver: the startup message, one query and the termination message are sent in one call.
    """
    startup = f"user\0{NAME}\0database\0{NAME}\0\0".encode()
    query = b"SHOW data_directory\0"
    # In the startup message, 196608 is version 3.0 of the protocol.
    head, length = struct.pack("!ii", 8 + len(startup), 196608), struct.pack("!i", 4 + len(query))
    messages = b"".join([head, startup, b"Q", length, query, b"X\0\0\0\4"])
    try:
        with socket.socket(socket.AF_UNIX) as wire:
            wire.settimeout(5)
            wire.connect(str(server.socket_dir / f".s.PGSQL.{server.port}"))
            wire.sendall(messages)
            return b"".join(iter(lambda: wire.recv(8192), b""))
    except OSError:
        return b""
