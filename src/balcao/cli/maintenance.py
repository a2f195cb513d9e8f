"""`balcao maintenance`: take a service out of use for a while, in all processes at once."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from balcao import app
from balcao.cli.options import For, Until
from balcao.cli.portuguese import Commands
from balcao.core.access.live import Change
from balcao.core.context.call import Call
from balcao.core.live import maintenance as use_cases
from balcao.operate.expiry import format_end, name_operator, parse_end
from balcao.operate.faults import OperatorFault
from balcao.operate.use_cases import print_json, run_use_case
from balcao.settings import Settings
from balcao.zones import load_zone

maintenance = Commands(help="Manutenção de um serviço: começar, terminar, ver.")
LONGEST_MESSAGE = 300
Services = Annotated[list[str], typer.Argument(metavar="SERVIÇO...", help=f"Um ou mais de {', '.join(app.NAMES)}.")]


@maintenance.command("on")
def begin(
    services: Services,
    lasting: For = "",
    until: Until = "",
    message: Annotated[
        str, typer.Option(help="A frase que quem chama recebe, para pessoas.")
    ] = use_cases.DEFAULT_MESSAGE,
) -> None:
    """Tira serviços do ar: respondem 503 com a frase, em todos os processos em até 5 segundos, até `off` ou o fim."""
    names = [service.name for service in app.choose_services(services)]
    zone = load_zone(Settings.load().time_zone)
    ends_at = parse_end(lasting, until, datetime.now(UTC), zone)
    sentence = " ".join(message.split())
    if not 1 <= len(sentence) <= LONGEST_MESSAGE or not sentence.isprintable():
        raise OperatorFault(f"--message: uma frase de 1 a {LONGEST_MESSAGE} caracteres, sem caracteres de controle.")
    author = name_operator()

    async def run(call: Call) -> list[Change]:
        call.state_reason(author)
        return await use_cases.begin(call, names, sentence, ends_at, author)

    run_use_case("platform.begin_maintenance", run)
    print(f"Em manutenção, {format_end(ends_at, zone)}: {', '.join(names)}. As tarefas em fila continuam.")


@maintenance.command("off")
def end(services: Services) -> None:
    """Põe serviços de novo no ar, em todos os processos em até 5 segundos."""
    names = [service.name for service in app.choose_services(services)]
    author = name_operator()

    async def run(call: Call) -> list[str]:
        call.state_reason(author)
        return await use_cases.end(call, names)

    ended = run_use_case("platform.end_maintenance", run)
    if not ended:
        raise OperatorFault(f"Não está em manutenção: {', '.join(names)}.")
    print(f"De novo no ar: {', '.join(ended)}.")


@maintenance.command("status")
def status(as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False) -> None:
    """Mostra os serviços em manutenção: desde quando, até quando, por quem e com que frase."""
    found = run_use_case("platform.list_maintenance", use_cases.list_services)
    if as_json:
        names = {"service": "name", "message": "value", "since": "changed_at", "until": "ends_at", "by": "author"}
        print_json([{name: getattr(change, member) for name, member in names.items()} for change in found])
        return
    zone = load_zone(Settings.load().time_zone)
    for change in found:
        since = change.changed_at.astimezone(zone)
        print(f"{change.name}: desde {since:%d/%m/%Y %H:%M}, {format_end(change.ends_at, zone)}, por {change.author}")
        print(f"    {change.value}")
    if not found:
        print("Nenhum serviço está em manutenção.")
