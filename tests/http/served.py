"""The real gateway in a process of its own: `python -m tests.http.served DESCRIPTOR DATABASE_URL`.

A line on its standard output says that it is ready.
"""

import socket
import sys

from balcao import app
from balcao.core import logs
from balcao.gateway import serving
from balcao.settings import Settings


def main() -> None:
    logs.configure("error")
    application = app.build(Settings.load(), sys.argv[2])
    serving.run(application, socket.socket(fileno=int(sys.argv[1])), lambda: print("ready", flush=True))


if __name__ == "__main__":
    main()
