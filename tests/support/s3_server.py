"""A real S3-compatible server (versitygw). It stores objects as files in a folder."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from balcao.settings import Settings
from tests.support.polling import until_now
from tests.support.server import free_port

BUCKET, KEY, SECRET = "arquivos", "balcao", "segredo-dos-arquivos"


class S3Server:
    """A server on a loopback port. After a stop, it can be started again with the same address and objects."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / BUCKET).mkdir(parents=True)
        self.port = free_port()
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        program = os.environ["BALCAO_S3_SERVER"]
        self._process = subprocess.Popen(
            [program, "--port", f"127.0.0.1:{self.port}", "--quiet", "posix", str(self._folder)],
            env={"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until_now(self._answers)

    def _answers(self) -> bool:
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def settings(self) -> dict[str, object]:
        """The settings of a platform that uses this server's bucket, by name."""
        return {
            "files_s3_url": self.address,
            "files_s3_bucket": BUCKET,
            "files_s3_key_id": KEY,
            "files_s3_secret": SECRET,
        }

    def configure(self, settings: Settings, **others: object) -> Settings:
        """Return the settings, changed to use this server's bucket."""
        return Settings.model_validate(settings.model_dump() | self.settings | others)

    def list_objects(self) -> set[str]:
        """Return the names of the stored files."""
        return {path.name for path in (self._folder / BUCKET / "files").glob("*") if path.is_file()}


@contextmanager
def run_s3_server(folder: Path) -> Iterator[S3Server]:
    server = S3Server(folder)
    try:
        yield server
    finally:
        server.stop()
