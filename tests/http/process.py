"""Runs a server in its own process, so that its resource usage can be measured."""

import contextlib
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import psutil

from balcao.gateway.listening import BACKLOG
from tests.support.polling import PATIENCE


@contextlib.contextmanager
def running(module: str, *words: str) -> Iterator[tuple[psutil.Process, int]]:
    """Yield the process and its port. The process must exit with status 0 and write nothing to standard error."""
    with socket.socket() as listening, tempfile.TemporaryFile() as errors:
        listening.bind(("127.0.0.1", 0))
        listening.listen(BACKLOG)
        number = listening.fileno()
        command = [sys.executable, "-m", module, str(number), *words]
        with subprocess.Popen(command, pass_fds=[number], stdout=subprocess.PIPE, stderr=errors) as child:
            try:
                assert child.stdout
                assert child.stdout.readline() == b"ready\n"
                yield psutil.Process(child.pid), listening.getsockname()[1]
            finally:
                child.send_signal(signal.SIGTERM)
                # This process has a copy of the listening socket. Close it, so that no caller waits in its queue.
                listening.close()
                status = child.wait(PATIENCE)
        errors.seek(0)
        said = errors.read().decode()
        assert (status, said) == (0, ""), (status, said)
