"""Runs `balcao` in processes forked from a process that has already loaded the code.

A short command spends most of its time loading code. Each command still has its own process, folder, environment,
streams and exit status.
"""

import atexit
import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

# The preloaded process forks a monitor for each command, so that several commands can run concurrently. Loaded objects
# are frozen: garbage collection in a command would otherwise touch, and thus copy, all shared memory. The first HTTP
# client loads the machine's certificates and the transport, which take most of a command's time.
WAITING = """
import functools, gc, importlib, json, os, pkgutil, socket, ssl, sys
import anyio._backends._asyncio, httpcore, httpx, rich.live, rich.progress
from balcao import operate
from balcao.__main__ import main
from balcao.cli.commands import list_entries

for entry in list_entries().values():
    entry.load()
for module in pkgutil.walk_packages(operate.__path__, "balcao.operate."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
ssl.create_default_context = functools.cache(ssl.create_default_context)
httpx.Client().close()
gc.collect()
gc.freeze()

door = socket.socket(fileno=int(sys.argv[1]))
while True:
    call, _ = door.accept()
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                break
        except ChildProcessError:
            break
    if os.fork():
        call.close()
        continue
    door.close()
    said, streams, _, _ = socket.recv_fds(call, 1 << 20, 3)
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        call.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    call.close()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    asked = json.loads(said)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = [asked["program"], *asked["words"]]
    main()
    sys.exit()
"""


@functools.cache
def _address() -> str:
    """Start the preloaded process once per test run, and return its address.

    The process ends when ours ends.
    """
    address = str(Path(tempfile.mkdtemp(prefix="balcao-preloaded-")) / "door")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(address)
        door.listen()
        os.set_inheritable(door.fileno(), True)
        waiting = subprocess.Popen([sys.executable, "-c", WAITING, str(door.fileno())], pass_fds=[door.fileno()])
    atexit.register(_end, waiting, Path(address))
    return address


def _end(waiting: subprocess.Popen[bytes], address: Path) -> None:
    waiting.kill()
    waiting.wait()
    shutil.rmtree(address.parent, ignore_errors=True)  # the run's folder may already be gone


def run(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], patience: float
) -> subprocess.CompletedProcess[str]:
    """Run `balcao` with these arguments, and return the exit status and the output.

    Raises TimeoutError after `patience` seconds.
    """
    program = str(Path(sys.executable).with_name("balcao"))
    asked = {"program": program, "words": words, "folder": str(folder), "environment": dict(environment)}
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as errors,
        Path(os.devnull).open("rb") as nothing,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as call,
    ):
        call.settimeout(patience)
        call.connect(_address())
        streams = [nothing.fileno(), out.fileno(), errors.fileno()]
        socket.send_fds(call, [json.dumps(asked).encode()], streams)
        status = int(call.recv(16) or b"-1")
        return subprocess.CompletedProcess(["balcao", *words], status, _text(out.fileno()), _text(errors.fileno()))


def _text(stream: int) -> str:
    return os.pread(stream, os.fstat(stream).st_size, 0).decode()
