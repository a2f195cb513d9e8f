"""`python -m bench.attacks`: how attacks delay two polite callers, and how much memory the process uses.

A citizen opens the panel and a portal searches, each from its own address and with a new connection for every call.
Meanwhile a third address runs one attack after another. The output is each caller's longest wait, and the memory of the
largest serving process.
"""

import asyncio
import concurrent.futures
import contextlib
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import httpx
import psutil
import typer

from balcao.gateway.serving import raise_file_limit
from tests.support.panel import PanelClient
from tests.support.server import free_port

MIB = 1024 * 1024
# A separate loopback address for each caller. The platform trusts 127.0.0.1 as a proxy, so no caller uses it.
CITIZEN, PORTAL, ATTACKER = "127.0.0.10", "127.0.0.11", "127.0.0.66"
PAUSE_SECONDS, PATIENCE_SECONDS = 0.5, 60.0
SAMPLE_SECONDS, CALM_TRIES = 0.2, 60
# More than the default limits: a process accepts 256 connections from one address and 4,096 in total.
MOST_CONNECTIONS = 4_500
FORM = "/painel/agentes/dados/00000000-0000-0000-0000-000000000000/exemplos/novos"
SEARCH = "/search/api/v1/search?q=vacina"
DATASETS = "/agent/api/v1/datasets"
# If a session has ended, the panel stores a submitted form of up to 1 MiB as a draft. These forms are just below 1 MiB.
DRAFTS, DRAFT_BYTES = 20, MIB - 20_000

Attack = Callable[["Target"], Awaitable[None]]


class Target:
    """The platform under attack, and the number of responses by status. Status 0 is a closed connection."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self.url, self.host, self.port = url, parts.hostname or "127.0.0.1", parts.port or 80
        self.token = token
        self.answers: Counter[int] = Counter()

    def head(self, method: str, path: str, *fields: str) -> bytes:
        """Return a request's head as a browser could send it from the panel's own pages."""
        lines = (f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}", f"Origin: {self.url}", *fields)
        return "\r\n".join((*lines, "", "")).encode()

    @contextlib.asynccontextmanager
    async def connect(self, source: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Open a connection from this local address."""
        reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=(source, 0))
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def send(self, parts: Sequence[bytes], source: str = ATTACKER) -> int:
        """Send a request and return the status of its response, or 0 without a response."""
        status = 0
        with contextlib.suppress(OSError, ValueError, IndexError):
            async with self.connect(source) as (reader, writer):
                with contextlib.suppress(OSError):  # the server may have refused early, so read its response
                    for part in parts:
                        writer.write(part)
                        await writer.drain()
                status = int((await reader.readline()).split()[1])
                await reader.read(MIB)
        self.answers[status] += 1
        return status


# ---- the attacks ----------------------------------------------------------------------------------------------------


async def send_forms(target: Target) -> None:
    """Send forms of 16 MiB full of percent-encoded letters, without a session, over two connections."""
    body = b"lines=" + b"%C3%A9" * (16 * MIB // 6 - 1)
    kind = "Content-Type: application/x-www-form-urlencoded"
    await _repeat(2, lambda: target.send([target.head("POST", FORM, kind, f"Content-Length: {len(body)}"), body]))


async def send_cookies(target: Target) -> None:
    """Send 60 KB of cookies over ten connections. The standard library needs quadratic time to parse them."""
    await _repeat(10, lambda: target.send([target.head("GET", "/painel", 'Cookie: a="' + '\\"' * 29_500 + '"')]))


async def send_texts(target: Target) -> None:
    """As an agents' administrator, send texts that are costly to scan for personal data, over two connections."""
    text = b'{"input":{"a":"%b"}}' % (b"12345678901 a.b@c.d " * 3_000)
    examples = b"[" + b",".join([text] * 60) + b"]"
    fields = (f"Authorization: Bearer {target.token}", "Content-Type: application/json")

    async def send() -> None:
        body = b'{"name":"ataque %b","examples":%b}' % (uuid.uuid4().hex.encode(), examples)
        await target.send([target.head("POST", DATASETS, *fields, f"Content-Length: {len(body)}"), body])

    await _repeat(2, send)


async def leave_bodies_unfinished(target: Target) -> None:
    """Send 16 MiB to the panel and 4 MiB to the API without the last byte, over a hundred connections each."""

    async def hold(path: str, size: int) -> None:
        head = target.head("POST", path, f"Content-Length: {size}")
        await target.send([head, *[b"x" * 65_536] * (size // 65_536 - 1), b"x" * 65_535])

    await asyncio.gather(
        _repeat(100, lambda: hold(FORM, 16 * MIB)),
        _repeat(100, lambda: hold(DATASETS, 4 * MIB)),
    )


async def send_small_chunks(target: Target) -> None:
    """Send 3 MiB to the API in chunks of two bytes, without the last chunk, over twenty connections."""
    parts = [target.head("POST", DATASETS, "Transfer-Encoding: chunked"), *[b"2\r\nab\r\n" * 8_192] * 192]
    await _repeat(20, lambda: target.send(parts))


async def take_connections(target: Target) -> None:
    """From one address, open more connections than the process allows. Reopen every connection that it closes."""

    async def occupy() -> None:
        with contextlib.suppress(OSError):
            async with target.connect(ATTACKER) as (reader, _):
                line = await reader.readline()
                target.answers[int(line.split()[1]) if line else 0] += 1
        await asyncio.sleep(PAUSE_SECONDS)

    await _repeat(MOST_CONNECTIONS, occupy)


async def send_drafts(target: Target) -> None:
    """As a citizen without rights, send large forms with the cookies of an ended session."""
    cookie = await asyncio.to_thread(_end_session, target.url)
    body = b"lines=" + b"x" * DRAFT_BYTES
    fields = (f"Cookie: {cookie}", "Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}")
    for number in range(DRAFTS):
        await target.send([target.head("POST", f"{FORM}?n={number}", *fields), body])
    await asyncio.Event().wait()


async def do_nothing(_: Target) -> None:
    """Run no attack, to measure the baseline."""
    await asyncio.Event().wait()


ATTACKS: dict[str, Attack] = {
    "none": do_nothing,
    "forms of 16 MiB without a session": send_forms,
    "cookies of 60 KB": send_cookies,
    "costly texts": send_texts,
    "unfinished bodies": leave_bodies_unfinished,
    "chunks of 2 bytes": send_small_chunks,
    "all connections": take_connections,
    "drafts of an ended session": send_drafts,
}


async def _repeat(connections: int, send: Callable[[], Awaitable[object]]) -> None:
    async def go_on() -> None:
        while True:
            await send()

    await asyncio.gather(*(go_on() for _ in range(connections)))


def _end_session(url: str) -> str:
    """Log in and out, and return the cookies of the ended session."""
    with PanelClient(url) as panel:
        panel.login("ana")
        cookie = "; ".join(f"{name}={value}" for name, value in panel.http.cookies.items())
        panel.post("/painel/sair", panel.find_form("/painel/sair").values)
        return cookie


# ---- the measurement ------------------------------------------------------------------------------------------------


class Polite:
    """A caller that waits for each response, and pauses before the next call."""

    def __init__(self, target: Target, source: str, path: str) -> None:
        self._target, self._source = target, source
        self._request = target.head("GET", path, "Accept: text/html, application/json", "Connection: close")
        self.longest, self.calls, self.refused = 0.0, 0, 0

    async def call_until(self, is_over: asyncio.Event) -> None:
        """Call until `is_over` is set, and record the longest wait.

        A call that is in progress at that moment is measured until its response arrives.
        """
        while not is_over.is_set():
            began = time.perf_counter()
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self.call()
            except (OSError, IndexError, ValueError, TimeoutError):
                self.refused += 1
            self.longest = max(self.longest, time.perf_counter() - began)
            self.calls += 1
            await asyncio.sleep(PAUSE_SECONDS)

    async def call(self) -> None:
        async with self._target.connect(self._source) as (reader, writer):
            writer.write(self._request)
            answer = await reader.read(-1)
        if int(answer.split(b" ", 2)[1]) >= 400:
            self.refused += 1


class Memory:
    """Measures the memory, in MiB, of the largest process that listens on the port."""

    def __init__(self, port: int) -> None:
        listening = {
            each.pid
            for each in psutil.net_connections("tcp")
            if each.pid and each.status == psutil.CONN_LISTEN and each.laddr and each.laddr.port == port
        }
        self._processes = [psutil.Process(pid) for pid in listening]
        self.peak = self.read()

    def read(self) -> float:
        """Return the current memory of the largest process."""
        sizes = [0]
        for process in self._processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                sizes.append(process.memory_info().rss)
        return max(sizes) / MIB

    async def watch(self) -> None:
        """Sample the memory until cancelled, and record the peak."""
        while True:
            self.peak = max(self.peak, self.read())
            await asyncio.sleep(SAMPLE_SECONDS)


def run_attack(target: Target, name: str, seconds: float) -> Counter[int]:
    """Attack for this many seconds, and return the number of responses by status."""

    async def attack() -> None:
        with contextlib.suppress(TimeoutError):  # attacks run until the time is over
            await asyncio.wait_for(ATTACKS[name](target), seconds)

    asyncio.run(attack())
    return target.answers


async def measure(target: Target, name: str, seconds: float) -> list[str]:
    """Attack for this many seconds, and return the cells of the table's row."""
    await wait_until_calm(target)
    memory = Memory(target.port)
    before = memory.peak
    polite = [Polite(target, CITIZEN, "/painel"), Polite(target, PORTAL, SEARCH)]
    is_over = asyncio.Event()
    calling = [asyncio.ensure_future(caller.call_until(is_over)) for caller in polite]
    watching = asyncio.ensure_future(memory.watch())
    # A separate process, so that the attack's own CPU time does not delay the polite callers.
    with concurrent.futures.ProcessPoolExecutor(1) as attacking:
        loop = asyncio.get_running_loop()
        answered = await loop.run_in_executor(attacking, run_attack, target, name, seconds)
        is_over.set()
    await asyncio.gather(*calling)
    watching.cancel()
    waits = [f"{caller.longest * 1000:.0f} ms ({caller.refused} of {caller.calls})" for caller in polite]
    answers = ", ".join(f"{status or 'cut off'}: {count}" for status, count in answered.most_common(3))
    return [*waits, f"{before:.0f} → {memory.peak:.0f} MiB", answers]


async def wait_until_calm(target: Target) -> None:
    """Wait until the platform responds quickly again. Meanwhile, its supervisor may replace a frozen process."""
    for _ in range(CALM_TRIES):
        began = time.perf_counter()
        with contextlib.suppress(OSError, IndexError, ValueError, TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                caller = Polite(target, CITIZEN, SEARCH)
                await caller.call()
                if not caller.refused and time.perf_counter() - began < PAUSE_SECONDS:
                    return
        await asyncio.sleep(PAUSE_SECONDS)


@contextlib.contextmanager
def running_trial() -> Iterator[str]:
    """Run a trial with one process in a temporary folder, and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        environment = {**os.environ, "BALCAO_PORT": str(port), "BALCAO_DATA_DIR": f"{folder}/data"}
        command = [sys.executable, "-m", "balcao", "serve", "--processes", "1"]
        log = (Path(folder) / "log").open("wb")
        with log, subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log) as process:
            try:
                _wait_until_ready(f"http://127.0.0.1:{port}", process)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()


def _wait_until_ready(url: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{url}/search/readiness").status_code == 200:
                return
        if process.poll() is not None:
            break
        time.sleep(0.5)
    raise RuntimeError("the trial did not start")


def fetch_token(url: str) -> str:
    """Return a token of a demo person who may write data sets."""
    command = [sys.executable, "-m", "balcao", "token", "kleber", "--issuer", f"{url}/auth/realms/balcao"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def main(
    url: Annotated[str, typer.Option(help="Endereço de uma demonstração no ar; sem ele, uma própria.")] = "",
    seconds: Annotated[float, typer.Option(help="Duração de cada ataque.")] = 15.0,
    only: Annotated[str, typer.Option(help="Só os ataques cujo nome contém este texto.")] = "",
) -> None:
    """Ataca uma demonstração, e mostra a maior espera de dois chamadores educados e a memória do processo."""
    raise_file_limit()
    with contextlib.ExitStack() as opened:
        url = url or opened.enter_context(running_trial())
        target = Target(url, fetch_token(url))
        print("| Attack | Citizen's longest wait (refused) | Portal's longest wait (refused) | Memory | Responses |")
        print("|---|---|---|---|---|")
        for name in ATTACKS:
            if only in name:
                print(f"| {' | '.join([name, *asyncio.run(measure(target, name, seconds))])} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
