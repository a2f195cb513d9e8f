"""`balcao limits`: show the rate limits, and change them while the platform runs."""

from typing import Annotated

import typer
from rich.table import Column, Table

from balcao.cli.console import make_console, print_json
from balcao.cli.options import For
from balcao.cli.portuguese import Commands

limits = Commands(help="Limites de chamadas: ver, mudar ao vivo, voltar ao configurado.")
console = make_console()
Name = Annotated[str, typer.Argument(metavar="NOME", help="O nome do limite, como em `balcao limits show`.")]


@limits.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="[NOME]", help="Só os que começam assim: registry.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON, sempre todos.")] = False,
) -> None:
    """Mostra os limites em vigor; sem NOME, os da configuração, os próprios de operações e os mudados ao vivo."""
    from balcao.operate.expiry import format_end
    from balcao.operate.limits import list_limits
    from balcao.settings import Settings

    known = list_limits()
    if as_json:
        print_json(
            [
                {
                    "name": limit.name,
                    "rate": change.value if change else limit.configured,
                    "configured": limit.configured,
                    "until": change.ends_at if change else None,
                    "by": change.author if change else None,
                }
                for limit, change in known
                if limit.name.startswith(name)
            ]
        )
        return
    zone = Settings.load().zone
    table = Table(*(Column(title, no_wrap=True) for title in ("limite", "em vigor", "configurado")))
    said = []
    for one in known:
        limit, change = one
        if limit.name.startswith(name) if name else change or limit.about != "operation":
            table.add_row(limit.name, one.rate, limit.configured)
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
    from balcao.operate.expiry import format_end
    from balcao.operate.limits import change_limit
    from balcao.settings import Settings

    limit, ends_at = change_limit(name, rate, lasting)
    print(f"{name}: {rate}, {format_end(ends_at, Settings.load().zone)} (configurado: {limit.configured}).")


@limits.command("reset")
def reset(name: Name) -> None:
    """Volta um limite ao configurado, em todos os processos em até 5 segundos."""
    from balcao.operate.limits import reset_limit

    print(f"{name}: {reset_limit(name).configured}, como configurado.")
