"""`balcao incident`: publish incidents on the status page."""

from typing import Annotated

import typer

from balcao.cli.console import print_json
from balcao.cli.options import Json
from balcao.cli.portuguese import Commands
from balcao.operate.names import SERVICES

incident = Commands(help="Incidentes na página de situação: abrir, acrescentar, resolver, listar.")
Number = Annotated[int, typer.Argument(metavar="NÚMERO", help="O número do incidente, como em `balcao incident list`.")]
Message = Annotated[str, typer.Option(help="O texto para o público: uma frase ou mais, sem dados de pessoas.")]


@incident.command("open")
def begin(
    title: Annotated[str, typer.Argument(metavar="TÍTULO", help="O que acontece, em poucas palavras.")],
    message: Message,
    services: Annotated[
        list[str], typer.Option("--service", help=f"Serviço atingido; pode ser repetida. {', '.join(SERVICES)}.")
    ],
    is_down: Annotated[bool, typer.Option("--down", help="Fora do ar; sem isto, com problemas.")] = False,
) -> None:
    """Abre um incidente: a página /status o mostra a todos, em até 10 segundos."""
    from balcao.operate.incidents import open_incident

    number = open_incident(title, services, message, is_down=is_down)
    print(f"Incidente {number} aberto. `balcao incident note {number}` acrescenta, `balcao incident resolve` termina.")


@incident.command("note")
def note(number: Number, message: Message) -> None:
    """Acrescenta uma notícia a um incidente aberto."""
    from balcao.operate.incidents import add_note

    add_note(number, message, resolves=False)
    print(f"Acrescentado ao incidente {number}.")


@incident.command("resolve")
def resolve(number: Number, message: Message) -> None:
    """Resolve um incidente, com a última notícia."""
    from balcao.operate.incidents import add_note

    add_note(number, message, resolves=True)
    print(f"Incidente {number} resolvido.")


@incident.command("list")
def show(as_json: Json = False) -> None:
    """Mostra os incidentes abertos e os dos últimos 90 dias."""
    from balcao.operate.incidents import list_incidents
    from balcao.settings import Settings

    found = list_incidents()
    if as_json:
        print_json([vars(each) for each in found])
        return
    zone = Settings.load().zone
    for each in found:
        end = f"resolvido em {each.resolved_at.astimezone(zone):%d/%m/%Y %H:%M}" if each.resolved_at else "aberto"
        print(f"{each.number}: {each.title} ({', '.join(each.services)}), {end}")
        for moment, words in zip(each.written, each.notes, strict=True):
            print(f"    {moment.astimezone(zone):%d/%m/%Y %H:%M} {words}")
    if not found:
        print("Nenhum incidente nos últimos 90 dias.")
