"""`balcao registry import` and `generate` as operators run them: killed, resumed, and in bounded memory."""

import hashlib
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from balcao_sandbox.demo.registry import invented
from tests.registry.import_runs import written
from tests.support.polling import PATIENCE, until_now
from tests.support.proof_sizes import size
from tests.support.server import free_port
from tests.support.terminal import BALCAO, Terminal

CITIZENS = size(9_000, 1_000_000)
# The limit applies to files of any size. Without a file to read, the process uses about 100 MB.
MOST_MEMORY_MB = 260
HOUR_SECONDS = 3600
# The digest of the first thousand citizens, which is the same on every machine. Update it when you change the
# generator.
FIRST_THOUSAND = "9a43c19e4163e9993a07cd8f06e24f4f6ea8415aa5cdc0a87e9516a7e69cf043"

Sql = Callable[..., list[Any]]


@pytest.fixture
def terminal(database_url: str, tmp_path: Path) -> Terminal:
    return Terminal(tmp_path, database_url=database_url, port=free_port())


@pytest.fixture
def committed(sql: Sql) -> Callable[[], int]:
    """Return a function that counts the lines that imports of citizens have committed."""
    return lambda: sum(row["lines"] for row in sql("SELECT lines FROM platform.import WHERE kind = 'citizens'"))


def begun(terminal: Terminal, *words: str) -> psutil.Popen:
    pipe = subprocess.PIPE
    return psutil.Popen([str(BALCAO), *words], cwd=terminal.folder, env=terminal.environment, stdout=pipe, stderr=pipe)


def peak_mb(process: psutil.Popen) -> float:
    """Wait until the process ends, and return its peak memory. The kernel reports it only until then."""
    status, peak = Path(f"/proc/{process.pid}/status"), 0.0
    deadline = time.monotonic() + HOUR_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        peak = max(peak, int(fields.get("VmHWM", "0 kB").split()[0]) / 1024)
        time.sleep(0.02)
    return peak


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to read the peak memory")
def test_an_import_that_was_killed_goes_on_where_it_was_and_needs_no_more_memory_for_more_lines(
    terminal: Terminal, sql: Sql, committed: Callable[[], int]
) -> None:
    file = terminal.folder / "citizens.jsonl"
    with file.open("wb") as lines:
        made = [str(BALCAO), "registry", "generate", str(CITIZENS)]
        subprocess.run(made, stdout=lines, env=terminal.environment, check=True)
    words = ("registry", "import", file.name, "--json")

    with begun(terminal, *words) as first:
        until_now(lambda: committed() >= CITIZENS // size(3, 30) or first.poll() is not None)
        first.kill()
    before = committed()
    assert before < CITIZENS
    assert sql("SELECT count(*) FROM registry.base_record")[0]["count"] == before

    with begun(terminal, *words) as second:
        assert peak_mb(second) < MOST_MEMORY_MB
        told = second.stdout.read().decode()
    assert f'"resumed_after": {before}' in told
    assert f'"changed": {CITIZENS}' in told
    assert sql("SELECT count(*) FROM registry.base_record")[0]["count"] == CITIZENS
    written_at = sql("SELECT max(loaded_at) FROM registry.base_record")

    with begun(terminal, *words) as third:
        assert peak_mb(third) < MOST_MEMORY_MB
        told = third.stdout.read().decode()
    assert '"changed": 0' in told
    assert f'"unchanged": {CITIZENS}' in told
    assert sql("SELECT max(loaded_at) FROM registry.base_record") == written_at


def test_the_operator_is_told_what_happened(terminal: Terminal, sql: Sql) -> None:
    sql("TRUNCATE registry.base_record")
    written(terminal.folder / "a.jsonl", [b"{", b"", *invented.make_citizens(3)])
    first, second, third = (
        terminal.run("registry", "import", "a.jsonl", *words)
        for words in ([], ["--dry-run"], ["--dry-run", "--allow-refused", "--json"])
    )
    assert "Registros: 5; novos ou alterados: 3; sem mudança: 0; recusados: 1; em branco: 1." in first.stdout
    assert "Registros: 5; mudariam: 0; sem mudança: 3; recusados: 1; em branco: 1." in second.stdout
    assert "Nada foi gravado" in second.stdout
    assert (first.returncode, second.returncode, third.returncode) == (1, 1, 0)
    counts = msgspec.json.decode(third.stdout)
    assert counts["rows"] == 5 == sum(counts[each] for each in ("changed", "unchanged", "refused", "skipped"))


@pytest.mark.long
def test_a_stream_is_imported_but_not_resumed(terminal: Terminal, sql: Sql) -> None:
    lines = terminal.run("registry", "generate", "70", "--kind", "tickets").stdout
    done = subprocess.run(
        [str(BALCAO), "registry", "import", "-", "--kind", "tickets", "--source", "x", "--json"],
        input=lines,
        env=terminal.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert '"changed": 50' in done.stdout
    assert sql("SELECT FROM platform.import WHERE kind = 'tickets'") == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl"),
        (["a.jsonl", "--kind", "vizinhos"], "citizens"),
        (["a.jsonl", "--report", "nowhere/refused.jsonl"], "nowhere"),
    ],
)
def test_what_the_operator_can_mend_is_said_in_a_sentence(terminal: Terminal, words: list[str], told: str) -> None:
    written(terminal.folder / "a.jsonl", [])
    assert told in terminal.refusal("registry", "import", *words)


def test_the_generator_writes_the_same_bytes_on_every_machine(terminal: Terminal) -> None:
    made = terminal.run("registry", "generate", "1000").stdout.encode()
    assert hashlib.sha256(made).hexdigest() == FIRST_THOUSAND
    fresh = "".join(msgspec.json.encode(line).decode() + "\n" for line in invented.make_citizens(7))
    assert made.startswith(fresh.encode())
