"""The command line itself: the modules that it loads, and its Portuguese messages."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from balcao import __version__
from balcao.cli.commands import COMMANDS, list_entries
from tests.support.server import free_port
from tests.support.terminal import Terminal

# These commands run the platform or manage keys, so they may load more modules.
RUNNING = {"panel", "site", "identity", "serve", "worker"}
LOADED = """
import json, sys
from balcao.cli import commands
from balcao.operate import faults
try:
    commands.run(sys.argv[1:])
except faults.OperatorFault as fault:
    print(fault)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules} | set(sys.modules))))
"""
EACH = f"""
import json, sys
from balcao.cli.commands import COMMANDS
for name in {sorted(set(COMMANDS) - RUNNING)}:
    COMMANDS[name].load()
print(json.dumps(list(sys.modules)))
"""
SERVICES = {f"balcao.{name}" for name in "access registry employability search health_units agents agent_docs".split()}


def loaded_by(*words: str, cwd: Path | None = None) -> set[str]:
    """Return the names of all modules loaded by the end of a command."""
    command = [sys.executable, "-c", LOADED, *words]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("words", [("--help",), ("--version",), ()], ids=" ".join)
def test_the_list_of_commands_loads_none_of_them(words: tuple[str, ...]) -> None:
    loaded = loaded_by(*words)
    assert not loaded & (SERVICES | {"asyncpg", "httpx", "uvicorn", "balcao.app", "balcao.settings", "balcao.core"})


def test_a_token_needs_neither_the_services_nor_a_database() -> None:
    loaded = loaded_by("token", "ana", "--issuer", f"http://127.0.0.1:{free_port()}")
    assert "balcao_sandbox.cli.token" in loaded
    assert not loaded & (SERVICES | {"asyncpg", "structlog", "limits", "balcao.app"})


@pytest.mark.parametrize("words", [("jobs", "--help"), ("demo", "--help"), ("limits",)], ids=" ".join)
def test_help_loads_neither_the_services_nor_what_they_stand_on(words: tuple[str, ...]) -> None:
    loaded = loaded_by(*words)
    assert not loaded & (SERVICES | {"asyncpg", "httpx", "limits", "balcao.app", "balcao.core.context.platform"})


def test_no_command_of_an_operator_loads_what_it_runs_before_it_runs() -> None:
    """Help loads only the command's own module, so that help and error messages stay fast."""
    done = subprocess.run([sys.executable, "-c", EACH], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    heavy = {
        "asyncpg",
        "httpx",
        "limits",
        "pydantic",
        "structlog",
        "uvloop",
        "balcao.app",
        "balcao.core",
        "balcao.settings",
    }
    assert not loaded & (SERVICES | heavy)


@pytest.mark.long
@pytest.mark.parametrize("words", [("demo",), ("jobs", "list"), ("limits", "show")], ids=" ".join)
def test_a_command_that_has_no_data_to_work_on_loads_no_service(words: tuple[str, ...], tmp_path: Path) -> None:
    loaded = loaded_by(*words, cwd=tmp_path)
    assert not loaded & (SERVICES | {"balcao.app"})


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("doctorr",), "O comando doctorr não existe. Quis dizer doctor?"),
        (("backup", "creat"), "O comando creat não existe. Quis dizer create?"),
        (("jobs", "list", "--per-pag", "3"), "A opção --per-pag não existe. Quis dizer --per-page ou --page?"),
        (("xyzzy",), "O comando xyzzy não existe.\n"),
    ],
)
def test_what_is_nearly_a_command_or_an_option_is_suggested(tmp_path: Path, words: tuple[str, ...], meant: str) -> None:
    assert Terminal(tmp_path).run(*words).stderr.startswith(meant)


def test_the_supervisor_loads_no_service() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import balcao.cli.serve, json, sys; print(json.dumps(list(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = SERVICES | {"asyncpg", "httpx", "limits", "uvicorn", "uvloop", "balcao.app"}
    assert not set(json.loads(done.stdout)) & heavy


@pytest.mark.parametrize("name", list_entries())
def test_the_line_of_a_command_is_its_own_first_line(name: str) -> None:
    found: Any = list_entries()[name].load()
    text = found.info.help if isinstance(found, typer.Typer) else found.__doc__
    assert text is not None
    assert text.splitlines()[0] == list_entries()[name].summary


def test_the_version_is_told(tmp_path: Path) -> None:
    """A release's version also includes its commit. The tests in tests/release check that version."""
    assert Terminal(tmp_path).run("--version").stdout.strip() == f"balcao {__version__}"


def test_help_is_in_portuguese(tmp_path: Path) -> None:
    for words in (("--help",), ("jobs", "--help"), ("serve", "--help")):
        shown = Terminal(tmp_path).run(*words).stdout
        assert "Uso: balcao" in shown
        assert "Mostra esta ajuda" in shown
        for english in ("Usage", "Options", "Commands", "Arguments", "Show this", "required", "default:", "[ARGS]"):
            assert english not in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nada",), "O comando nada não existe."),
        (("jobs", "nada"), "O comando nada não existe."),
        (("--nada",), "A opção --nada não existe."),
        (("token",), "Falta o argumento QUEM."),
        (("jobs", "drop", "1"), "Falta a opção --reason."),
        (("token", "--scope"), "A opção --scope pede um valor."),
        (("jobs", "list", "--json=3"), "A opção --json não aceita valor."),
        (("token", "ana", "bia"), "Argumentos a mais: bia."),
        (("jobs", "list", "--page", "x"), "--page: informe um número inteiro."),
        (("jobs", "list", "--page", "0"), "--page: no mínimo 1."),
        (("jobs", "list", "--per-page", "1000"), "--per-page: no máximo 100."),
        (("jobs", "list", "--state", "x"), "--state: use um de 'queued', 'running', 'dead'."),
        (("registry", "import", "--kind", "x", "y"), "--kind: use um de: citizens"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_a_wrong_use_is_explained_in_portuguese(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = Terminal(tmp_path).run(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(message)


def test_what_is_piped_is_never_cut(tmp_path: Path) -> None:
    """Only a terminal has a width. Output to a pipe or a file is not cut."""
    long = f"https://{'balcao' * 9}.prefeitura.cidade.example/realms/{'cidade' * 9}"
    shown = Terminal(tmp_path, auth_issuer=long, port=free_port(), columns=80).run("doctor").stdout
    assert long in shown
    assert "…" not in shown
