"""`balcao config`: explain each setting, its value, and where the value comes from."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from balcao.cli.console import make_console, print_json
from balcao.cli.options import Json
from balcao.cli.portuguese import Commands

if TYPE_CHECKING:
    from balcao.operate.explanation import Explained, Explanation

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
    """Make `explain` a subcommand. Without this callback, Typer would merge a group's only command into the group."""


@config.command("explain")
def explain(
    name: Annotated[str, typer.Argument(metavar="[NOME]", help="Uma variável, ou parte do nome de várias: crm.")] = "",
    env_file: Annotated[
        list[Path] | None,
        typer.Option(help="Arquivo de variáveis, como o das unidades do systemd. Pode ser repetida.", dir_okay=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explica cada variável: o que vale, de onde vem, o que faz, o padrão e o que muda com ela; não mostra segredos."""
    from balcao.core import logs
    from balcao.operate.explanation import explain_settings

    logs.configure("error")
    found = explain_settings(name, env_file or [])
    if as_json:
        print_json({"settings": found.settings, "unknown": found.unknown})
    else:
        for line in describe_settings(found):
            console.print(line, soft_wrap=True)


def describe_settings(found: "Explained") -> Iterator[str]:
    """Yield the lines to print on a terminal."""
    from balcao.operate.expiry import format_end

    for one in found.settings:
        source = _SOURCES[one.source].format(", ".join(one.origin))
        yield f"[bold]{one.variable}[/] = {escape(_format_value(one))} [dim]({escape(source)})[/]"
        yield f"    {escape(one.text)}"
        if one.live:
            end = format_end(one.live.until, found.zone)
            yield f"    [yellow]Ao vivo vale {escape(one.live.rate)}, {end}, por {escape(one.live.by)}.[/]"
        if further := _list_further(one):
            yield f"    [dim]{escape(' '.join(further))}[/]"
    for stranger in found.unknown:
        yield f"[red]✗[/] {escape(stranger.describe())}"


def _format_value(one: "Explanation") -> str:
    if one.secret is None:
        return _format_plain(one, one.value)
    if not one.secret.is_set:
        return f"(segredo) vazio: {one.empty or 'não usado'}"
    public = ", valor público de demonstração" * one.secret.is_public
    return f"(segredo) definido, {one.secret.length} caracteres, impressão {one.secret.fingerprint}{public}"


def _format_plain(one: "Explanation", value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"vazio: {one.empty or 'nada'}" if value in {None, ""} else str(value)


def _list_further(one: "Explanation") -> list[str]:
    return [
        *(
            [f"Padrão: {_format_plain(one, one.default)}."]
            if one.source not in {"default", "derived"} and not one.secret
            else []
        ),
        *([f"Muda também: {', '.join(one.affects)}."] if one.affects else []),
        *(["Depois de mudar, gere de novo a configuração do gateway."] if one.in_gateway else []),
    ]
