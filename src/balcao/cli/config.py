"""`balcao config`: what each setting does, what it is now, and where that comes from."""

import asyncio
import difflib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from balcao.cli.console import make_console
from balcao.cli.portuguese import Commands
from balcao.core import logs
from balcao.core.access.live import Change, list_live_changes
from balcao.core.context.platform import make_database
from balcao.core.database.faults import StatementRefused
from balcao.core.embedded import supervisor
from balcao.core.errors import Unavailable
from balcao.operate.deploy.production import parse_settings
from balcao.operate.expiry import format_end
from balcao.operate.explanation import Explanation, choose, explain
from balcao.operate.faults import OperatorFault
from balcao.operate.unknown_variables import UnknownVariable, list_unknown_variables
from balcao.operate.use_cases import print_json
from balcao.settings import Settings, variable_of
from balcao.zones import load_zone

config = Commands(help="Configuração: o que cada variável faz, o que vale e de onde vem.")
console = make_console()
_SOURCES = {
    "environment": "do ambiente",
    "file": "de {}",
    "remembered": "lembrado em {}",
    "derived": "segue de {}",
    "default": "padrão",
}


@config.callback()
def group() -> None:
    """Keep `explain` a command of a group while it is the only one."""


@config.command("explain")
def explain_settings(
    name: Annotated[str, typer.Argument(metavar="[NOME]", help="Uma variável, ou parte do nome de várias: crm.")] = "",
    env_file: Annotated[
        list[Path] | None,
        typer.Option(help="Arquivo de variáveis, como o das unidades do systemd. Pode repetir-se.", dir_okay=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Explica cada variável: o que vale, de onde vem, o que faz, o padrão e o que muda com ela; segredo nenhum."""
    logs.configure("error")
    chosen = choose(name)
    if not chosen:
        close = difflib.get_close_matches(name.upper(), map(variable_of, Settings.model_fields), 1, 0.5)
        raise OperatorFault(f"Não há variável {name}" + (f": quis dizer {close[0]}?" if close else "."))
    read = {str(path): parse_settings(_read(path)) for path in env_file or []}
    in_files = {variable: path for path, variables in read.items() for variable in variables}
    given = {variable: value for variables in read.values() for variable, value in variables.items()}
    settings = Settings.load({**given, **os.environ} if given else None)
    found = explain(settings, os.environ, in_files, asyncio.run(_list_changes(settings)))
    shown = [one for one in found if one.variable in chosen]
    unknown = list_unknown_variables({*os.environ, *given})
    if as_json:
        print_json({"settings": shown, "unknown": unknown})
    else:
        for line in describe(settings, shown, unknown):
            console.print(line, soft_wrap=True)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise OperatorFault(f"{path} não é um arquivo de texto em UTF-8.") from None


async def _list_changes(settings: Settings) -> list[Change]:
    """Return what was changed live; nothing where the database is away, or has no such table yet."""
    url = settings.database_url
    if settings.embedded_database:
        server = await asyncio.to_thread(supervisor.find_running, settings.data_dir)
        if server is None:
            return []
        url = server.url
    database = make_database(settings, url)
    try:
        await database.open()
        async with database.connection() as connection:
            return await list_live_changes(connection)
    except (Unavailable, StatementRefused):
        return []
    finally:
        await database.close()


def describe(settings: Settings, shown: Sequence[Explanation], unknown: Sequence[UnknownVariable]) -> Iterator[str]:
    """Yield the lines for a terminal."""
    for one in shown:
        source = _SOURCES[one.source].format(", ".join(one.origin))
        yield f"[bold]{one.variable}[/] = {escape(_format_value(one))} [dim]({escape(source)})[/]"
        yield f"    {escape(one.text)}"
        if one.live:
            end = format_end(one.live.until, load_zone(settings.time_zone))
            yield f"    [yellow]Ao vivo vale {escape(one.live.rate)}, {end}, por {escape(one.live.by)}.[/]"
        if further := _list_further(one):
            yield f"    [dim]{escape(' '.join(further))}[/]"
    for stranger in unknown:
        yield f"[red]✗[/] {escape(stranger.describe())}"


def _format_value(one: Explanation) -> str:
    if one.secret is None:
        return _format_plain(one, one.value)
    if not one.secret.is_set:
        return f"(segredo) vazio: {one.empty or 'não usado'}"
    public = ", valor público de demonstração" * one.secret.is_public
    return f"(segredo) definido, {one.secret.length} caracteres, impressão {one.secret.fingerprint}{public}"


def _format_plain(one: Explanation, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"vazio: {one.empty or 'nada'}" if value in {None, ""} else str(value)


def _list_further(one: Explanation) -> list[str]:
    return [
        *(
            [f"Padrão: {_format_plain(one, one.default)}."]
            if one.source not in {"default", "derived"} and not one.secret
            else []
        ),
        *([f"Muda também: {', '.join(one.affects)}."] if one.affects else []),
        *(["Depois de mudar, gere de novo a configuração do gateway."] if one.in_gateway else []),
    ]
