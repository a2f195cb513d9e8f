"""`balcao export`, run from the command line."""

import json
import subprocess
import time
from pathlib import Path

import psutil
import pyrage
import pytest

from balcao.core.exports.folder import MANIFEST
from tests.support.fixture_types import Sql
from tests.support.polling import until_now
from tests.support.proof_sizes import report
from tests.support.terminal import BALCAO, Terminal

IDENTITY = pyrage.x25519.Identity.generate()
CITIZENS = 300_000
# The process's memory limit, which is independent of the amount of data. It is enough for the program and one part of
# the export.
MOST_MEMORY_MB = 240
# Each record has about 1,400 bytes, like those of `balcao registry generate`.
FILL = """
INSERT INTO registry.base_record (cpf, record, source)
SELECT lpad(n::text, 11, '0'), jsonb_build_object('cpf', lpad(n::text, 11, '0'), 'nome', 'Inventada Pessoa ' || n,
    'texto', (SELECT string_agg(md5(n::text || m), ' ') FROM generate_series(1, 38) AS m)), 'proof'
FROM generate_series(1, $1::int) AS n
"""


def test_a_service_is_exported_verified_and_read(terminal: Terminal, tmp_path: Path) -> None:
    key = tmp_path / "key.txt"
    key.write_text(f"# created: today\n# public key: {IDENTITY.to_public()}\n{IDENTITY}\n")
    create = ("export", "create", "employability", "made", "--recipient", str(IDENTITY.to_public()))
    made = terminal.json(*create, "--json")
    assert (made["complete"], made["lines"]["reference-values"] > 40, made["lines"]["resume"]) == (True, True, 0)

    done = terminal.run("export", "verify", "made", "--identity", "key.txt")
    assert (done.returncode, "0 com falha" in done.stdout) == (0, True)
    read = terminal.run("export", "read", "made", "reference-values", "--identity", "key.txt")
    lines = [json.loads(line) for line in read.stdout.splitlines()]
    assert len(lines) == made["lines"]["reference-values"]
    assert {"tabela", "descricao"} <= lines[0].keys()
    assert "services" in terminal.refusal("export", "read", "made", "services", "--identity", "key.txt")

    assert "completa" in terminal.refusal(*create)
    assert "use um de" in terminal.refusal("export", "create", "nothing", "other", "--recipient", "age1")
    assert "chave pública" in terminal.refusal("export", "create", "search", "other", "--recipient", str(IDENTITY))
    assert not (tmp_path / "other").exists()
    part = next((tmp_path / "made").glob("skills-*"))
    part.write_bytes(b"x")
    done = terminal.run("export", "verify", "made")
    assert (done.returncode, part.name in done.stdout) == (1, True)
    assert part.name in terminal.refusal("export", "read", "made", "skills", "--identity", "key.txt")


def test_an_export_says_in_lines_what_it_holds_and_opens_with_its_own_key_alone(
    terminal: Terminal, tmp_path: Path
) -> None:
    made = terminal.run("export", "create", "employability", "made", "--recipient", str(IDENTITY.to_public()))
    assert made.returncode == 0, made.stderr
    assert "reference-values" in made.stdout
    (tmp_path / "other.txt").write_text(f"{pyrage.x25519.Identity.generate()}\n")
    (tmp_path / "none.txt").write_text("# created: today\n")
    (tmp_path / "wrong.txt").write_text("AGE-SECRET-KEY-1\n")
    read = ("export", "read", "made", "reference-values", "--identity")
    assert "não abre a parte" in terminal.refusal(*read, "other.txt")
    for file in ("none.txt", "wrong.txt"):
        assert f"Em {file} não há chave privada" in terminal.refusal(*read, file)


@pytest.mark.cluster
def test_an_export_that_was_killed_goes_on_in_bounded_memory_and_shows_nobody(
    terminal: Terminal, sql: Sql, tmp_path: Path
) -> None:
    sql(FILL, CITIZENS)
    (tmp_path / "key.txt").write_text(f"{IDENTITY}\n")
    words = [str(BALCAO), "export", "create", "registry", "made", "--recipient", str(IDENTITY.to_public()), "--json"]
    folder = tmp_path / "made"

    def count_parts() -> int:
        return len(list(folder.glob("citizens-*.age")))

    begun = time.monotonic()
    with psutil.Popen(words, cwd=tmp_path, env=terminal.environment, stdout=subprocess.DEVNULL) as first:
        until_now(lambda: count_parts() >= 4 or first.poll() is not None)
        first.kill()
    assert not json.loads((folder / MANIFEST).read_bytes())["complete"]
    peak = 0.0
    with psutil.Popen(words, cwd=tmp_path, env=terminal.environment, stdout=subprocess.PIPE) as second:
        while second.poll() is None:
            fields = Path(f"/proc/{second.pid}/status").read_text()
            peak = max([peak, *(int(line.split()[1]) / 1024 for line in fields.splitlines() if "VmHWM" in line)])
            time.sleep(0.02)
        made = json.loads(second.stdout.read())
    took = time.monotonic() - begun
    assert (made["lines"]["citizens"], len(made["snapshots"])) == (CITIZENS, 2)
    assert peak < MOST_MEMORY_MB
    size = sum(file.stat().st_size for file in folder.iterdir())
    report(f"\n{took:.0f} s with a kill, {size / 1e6:.0f} MB, {count_parts()} parts of citizens, {peak:.0f} MB at most")
    assert not any(b"Inventada" in file.read_bytes() for file in folder.iterdir())
    verified = terminal.run("export", "verify", "made", "--identity", "key.txt")
    assert verified.returncode == 0, verified.stdout
