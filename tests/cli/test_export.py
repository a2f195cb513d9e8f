"""`balcao export` as an operator types it."""

import json
from pathlib import Path

import pyrage

from tests.support.terminal import Terminal

IDENTITY = pyrage.x25519.Identity.generate()


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
