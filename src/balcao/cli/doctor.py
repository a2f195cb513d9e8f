"""`balcao doctor`: print the effective configuration and its problems."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from balcao.cli.console import make_console, print_json
from balcao.cli.options import Json

if TYPE_CHECKING:
    from balcao.operate.doctor.diagnosis import Diagnosis

console = make_console()
WORDS = {"up": "[green]responde[/]", "stopped": "[yellow]parado[/]", "down": "[red]não responde[/]"}


def doctor(
    as_json: Json = False,
    root: Annotated[
        Path, typer.Option(help="Onde estão os arquivos da instalação: etc/balcao, as unidades, o gateway.")
    ] = Path("/"),
) -> None:
    """Mostra a configuração em vigor e diz o que há de errado com ela."""
    diagnosis = _diagnose(root)
    if as_json:
        print_json(diagnosis)
    else:
        _print_tables(diagnosis)
    raise typer.Exit(0 if diagnosis.ok else 1)


def _diagnose(root: Path) -> "Diagnosis":
    from balcao.core import logs
    from balcao.operate.doctor.diagnosis import Diagnosis, diagnose
    from balcao.settings import Settings, SettingsError

    logs.configure("error")
    try:
        return asyncio.run(diagnose(Settings.load(), root))
    except SettingsError as fault:
        problems = str(fault).splitlines()
        return Diagnosis(ok=False, running=False, problems=problems, notices=[], settings={}, addresses={}, parts={})


def _print_tables(diagnosis: "Diagnosis") -> None:
    settings = Table("variável", "valor", title="Configuração em vigor")
    for name, value in diagnosis.settings.items():
        settings.add_row(name, "" if value is None else str(value))
    parts = Table("parte", "estado", "detalhes", title="Partes")
    for name, part in diagnosis.parts.items():
        parts.add_row(name, WORDS[part.state], " ".join(f"{key}={value}" for key, value in part.details.items()))
    addresses = Table("endereço", "valor", title="Endereços")
    for name, value in diagnosis.addresses.items():
        lines = [f"{key} {part}" for key, part in value.items()] if isinstance(value, dict) else [str(value)]
        addresses.add_row(name, "\n".join(lines))
    if diagnosis.settings:
        console.print(settings, addresses, parts)
    for problem in diagnosis.problems:
        console.print(f"[red]✗[/] {problem}")
    for notice in diagnosis.notices:
        console.print(f"[yellow]![/] {notice}")
    if diagnosis.ok and diagnosis.running:
        console.print("[green]✓[/] Nada de errado com esta configuração, e o Balcão está no ar.")
    elif diagnosis.ok:
        console.print(
            "[yellow]![/] Nada de errado com esta configuração, mas o Balcão não está no ar: inicie com `balcao serve`."
        )
