"""`balcao limits`: how often callers may call, shown and changed while the platform runs."""

import difflib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Column, Table

from balcao.cli.console import make_console
from balcao.cli.options import For
from balcao.cli.portuguese import Commands
from balcao.operate.expiry import format_end, name_operator, parse_end
from balcao.operate.faults import OperatorFault
from balcao.operate.use_cases import print_json, run_use_case
from balcao.settings import Settings
from balcao.zones import load_zone

# The use cases load the platform, which help does without: each command imports its own.
if TYPE_CHECKING:
    from balcao.core.context.call import Call
    from balcao.core.live.rates import Limit

limits = Commands(help="Limites de chamadas: ver, mudar ao vivo, voltar ao configurado.")
console = make_console()
Name = Annotated[str, typer.Argument(metavar="NOME", help="O nome do limite, como em `balcao limits show`.")]


@limits.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="[NOME]", help="Só os que começam assim: registry.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON, sempre todos.")] = False,
) -> None:
    """Mostra os limites em vigor; sem NOME, os da configuração, os próprios de operações e os mudados ao vivo."""
    from balcao.core.live import rates

    settings = Settings.load()
    changed = run_use_case("platform.list_limits", rates.list_changed)
    known = _list_limits(settings)
    if as_json:
        print_json(
            [
                {
                    "name": limit.name,
                    "rate": changed[limit.name].value if limit.name in changed else limit.configured,
                    "configured": limit.configured,
                    "until": changed[limit.name].ends_at if limit.name in changed else None,
                    "by": changed[limit.name].author if limit.name in changed else None,
                }
                for limit in known.values()
                if limit.name.startswith(name)
            ]
        )
        return
    zone = load_zone(settings.time_zone)
    table = Table(*(Column(title, no_wrap=True) for title in ("limite", "em vigor", "configurado")))
    said = []
    for limit in known.values():
        change = changed.get(limit.name)
        if limit.name.startswith(name) if name else change or limit.about != "operation":
            table.add_row(limit.name, change.value if change else limit.configured, limit.configured)
        if change:
            said.append(f"{limit.name}: mudado ao vivo {format_end(change.ends_at, zone)}, por {change.author}.")
    console.print(table if table.rows else f"Nenhum limite começa com {name}.")
    for sentence in said:
        console.print(sentence, markup=False, soft_wrap=True)


@limits.command("set")
def change(
    name: Name,
    rate: Annotated[str, typer.Argument(metavar="TAXA", help="Quantas vezes por período: 20/second, 300/5 minutes.")],
    lasting: For = "",
) -> None:
    """Muda um limite em todos os processos em até 5 segundos, de um centésimo a dez vezes o configurado."""
    from balcao.core.live import rates

    settings = Settings.load()
    limit = _find(settings, name)
    zone = load_zone(settings.time_zone)
    ends_at = parse_end(lasting, "", datetime.now(UTC), zone)
    author = name_operator()

    async def run(call: "Call") -> None:
        call.state_reason(f"{author}: {rate}")
        await rates.change(call, limit, rate, ends_at, author)

    run_use_case("platform.change_limit", run)
    print(f"{name}: {rate}, {format_end(ends_at, zone)} (configurado: {limit.configured}).")


@limits.command("reset")
def reset(name: Name) -> None:
    """Volta um limite ao configurado, em todos os processos em até 5 segundos."""
    from balcao.core.live import rates

    limit = _find(Settings.load(), name)
    author = name_operator()

    async def run(call: "Call") -> bool:
        call.state_reason(author)
        return await rates.reset(call, name)

    if not run_use_case("platform.reset_limit", run):
        raise OperatorFault(f"{name} já está como configurado: {limit.configured}.")
    print(f"{name}: {limit.configured}, como configurado.")


def _list_limits(settings: Settings) -> "dict[str, Limit]":
    from balcao import app

    return app.list_limits(settings)


def _find(settings: Settings, name: str) -> "Limit":
    """Return the limit of this name. Raises OperatorFault naming the nearest one."""
    known = _list_limits(settings)
    if name not in known:
        close = difflib.get_close_matches(name, known, 1, 0.6)
        hint = f": quis dizer {close[0]}?" if close else ". `balcao limits show` mostra todos."
        raise OperatorFault(f"Não há limite {name}{hint}")
    return known[name]
