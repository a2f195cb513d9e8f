"""`balcao maintenance`: put a service into maintenance in all processes."""

from typing import Annotated

import typer

from balcao.cli.console import print_json
from balcao.cli.options import For, From, Json, Until
from balcao.cli.portuguese import Commands
from balcao.operate.names import MAINTENANCE_MESSAGE, SERVICES

maintenance = Commands(help="Manutenção de um serviço: começar, terminar, ver.")
Services = Annotated[list[str], typer.Argument(metavar="SERVIÇO...", help=f"Um ou mais de {', '.join(SERVICES)}.")]


@maintenance.command("on")
def begin(
    services: Services,
    beginning: From = "",
    lasting: For = "",
    until: Until = "",
    message: Annotated[str, typer.Option(help="A frase que quem chama recebe, para pessoas.")] = MAINTENANCE_MESSAGE,
) -> None:
    """Tira serviços do ar: em até 5 segundos, todos os processos respondem 503 com a mensagem, até `off` ou o fim.

    Com --from, anuncia uma manutenção planejada na página de situação; ela começa sozinha.
    """
    from balcao.operate.expiry import format_end
    from balcao.operate.maintenance import begin_maintenance, plan_maintenance
    from balcao.settings import Settings

    if beginning:
        plan, zone = plan_maintenance(services, beginning, lasting, until, message), Settings.load().zone
        start = f"{plan.begins_at.astimezone(zone):%d/%m/%Y %H:%M}"
        print(f"Planejada, de {start} {format_end(plan.ends_at, zone)}: {', '.join(plan.names)}.")
        return
    names, ends_at = begin_maintenance(services, lasting, until, message)
    end = format_end(ends_at, Settings.load().zone)
    print(f"Em manutenção, {end}: {', '.join(names)}. As tarefas em fila continuam.")


@maintenance.command("off")
def end(services: Services) -> None:
    """Põe serviços de novo no ar, em todos os processos em até 5 segundos; ou desiste da manutenção planejada."""
    from balcao.operate.maintenance import end_maintenance

    print(f"De novo no ar: {', '.join(end_maintenance(services))}.")


@maintenance.command("status")
def status(as_json: Json = False) -> None:
    """Mostra os serviços em manutenção: desde quando, até quando, por quem e com que mensagem."""
    from balcao.operate.expiry import format_end
    from balcao.operate.maintenance import list_maintenance
    from balcao.settings import Settings

    found = list_maintenance()
    if as_json:
        names = {
            "service": "name",
            "message": "value",
            "since": "changed_at",
            "from": "begins_at",
            "until": "ends_at",
            "by": "author",
        }
        print_json([{name: getattr(change, member) for name, member in names.items()} for change in found])
        return
    zone = Settings.load().zone
    for change in found:
        since = (change.begins_at or change.changed_at).astimezone(zone)
        word = "planejada, de" if change.is_planned else "desde"
        print(f"{change.name}: {word} {since:%d/%m/%Y %H:%M}, {format_end(change.ends_at, zone)}, por {change.author}")
        print(f"    {change.value}")
    if not found:
        print("Nenhum serviço está em manutenção, e nenhuma está planejada.")
