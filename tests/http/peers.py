"""Other HTTP servers on loopback ports. Each runs an application that reports the requests it received (`recorder`)."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.gateways import find
from tests.support.polling import until_now
from tests.support.server import free_port

# For every call, nginx sends hyper a POST to the same path. nginx encodes the body again, and reports the caller's
# method and target in headers.
_NGINX = """
daemon off; pid {folder}/pid; worker_processes 1; {user} error_log {folder}/error.log crit;
events {{ worker_connections 1024; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    access_log off; client_max_body_size 16m; large_client_header_buffers 8 64k;
    upstream recorder {{ server 127.0.0.1:{hyper_port}; keepalive 8; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_http_version 1.1;
            proxy_method POST;
            proxy_pass_request_headers off;
            proxy_set_header Connection "";
            proxy_set_header Seen-Method $request_method;
            proxy_set_header Seen-Target $request_uri;
            rewrite ^ /? break;
            proxy_pass http://recorder;
        }}
    }}
}}
"""


@contextlib.contextmanager
def running_hyper() -> Iterator[int]:
    """Run hyper inside Granian, and yield its port."""
    port = free_port()
    options = ["--interface", "asginl", "--http", "1", "--no-ws", "--loop", "uvloop", "--no-log"]
    command = [sys.executable, "-m", "granian", *options, "--port", str(port), "tests.http.recorder:recorded"]
    with _running(command, port):
        yield port


@contextlib.contextmanager
def running_nginx(folder: Path, hyper_port: int) -> Iterator[int]:
    """Run nginx in front of hyper, and yield its port."""
    port = free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    own = folder / "nginx.conf"
    own.write_text(_NGINX.format(folder=folder, user=user, port=port, hyper_port=hyper_port))
    with _running([find("nginx"), "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(own)], port):
        yield port


@contextlib.contextmanager
def _running(command: list[str], port: int) -> Iterator[None]:
    with subprocess.Popen(command) as process:
        try:
            until_now(lambda: process.poll() is not None or _is_listening(port))
            assert process.poll() is None, command
            yield
        finally:
            process.terminate()


def _is_listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
