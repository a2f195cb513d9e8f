"""A small mail server on loopback that keeps what it is given, and refuses as often as it is told."""

import socketserver
import threading
from email import message_from_bytes
from email.message import Message
from typing import Any


class MailServer:
    """Use as a context manager. `refusals` is how many of the next emails are turned away for now."""

    def __init__(self) -> None:
        self.emails: list[Message] = []
        self.logins: list[str] = []
        self.refusals = 0
        keeper = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._say("220 teste")
                for line in iter(self.rfile.readline, b""):
                    word = line[:4].upper()
                    if word == b"EHLO":
                        self._say("250-teste\r\n250 AUTH PLAIN")
                    elif word == b"AUTH":
                        keeper.logins.append(line.decode().split()[-1])
                        self._say("235 ok")
                    elif word == b"DATA":
                        self._receive()
                    elif word == b"QUIT":
                        self._say("221 tchau")
                        return
                    else:
                        self._say("250 ok")

            def _receive(self) -> None:
                self._say("354 manda")
                lines = []
                for line in iter(self.rfile.readline, b".\r\n"):
                    lines.append(line)
                if keeper.refusals:
                    keeper.refusals -= 1
                    self._say("451 tente mais tarde")
                else:
                    keeper.emails.append(message_from_bytes(b"".join(lines)))
                    self._say("250 ok")

            def _say(self, words: str) -> None:
                self.wfile.write(f"{words}\r\n".encode())

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> "MailServer":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
