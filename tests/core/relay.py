"""A relay in front of a database server. A test can stop it while the connections stay open."""

import asyncio
import contextlib
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit


class Relay:
    """A proxy between the tests and PostgreSQL.

    Use it as a context manager, and connect to `url`, a Unix socket in `folder`. `stop` makes the server look frozen,
    as SIGSTOP would.
    """

    def __init__(self, database_url: str) -> None:
        # The test's own folder is not used, because a socket's path may have only about a hundred characters.
        self.folder = Path(tempfile.mkdtemp(prefix="relay-"))
        query = parse_qs(urlsplit(database_url).query)
        (host,), (port,) = query["host"], query.get("port", ["5432"])
        self._real, self._own = f"{host}/.s.PGSQL.{port}", str(self.folder / f".s.PGSQL.{port}")
        self.url = database_url.replace(host, str(self.folder))
        self._flowing = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def stop(self) -> None:
        """Stop forwarding without closing connections."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()

    def resume(self) -> None:
        """Resume forwarding, starting with the bytes received in the meantime."""
        self._loop.call_soon_threadsafe(self._flowing.set)

    async def _stop(self) -> None:
        self._flowing.clear()

    async def _listen(self) -> None:
        self._flowing.set()
        self._server = await asyncio.start_unix_server(self._relay, self._own)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            if not self._flowing.is_set():  # the kernel accepts connections of a frozen server
                try:
                    await self._flowing.wait()
                finally:
                    writer.close()
                return
            others_reader, others_writer = await asyncio.open_unix_connection(self._real)
            await asyncio.gather(self._pass(reader, others_writer), self._pass(others_reader, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while part := await reader.read(65_536):
                await self._flowing.wait()
                writer.write(part)
        finally:
            writer.close()

    async def _end(self) -> None:
        self._server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
