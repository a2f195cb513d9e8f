"""`balcao demo`: show the contents of the demo data, or load the data into another database."""

import asyncio
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from balcao.cli.console import make_console
from balcao.operate import database
from balcao.operate.faults import OperatorFault
from balcao.operate.names import SERVICES
from balcao.settings import Settings
from balcao_sandbox.cli.example_calls import list_calls
from balcao_sandbox.demo.offer import Offer

console = make_console()


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
    load: Annotated[bool, typer.Option("--load", help="Carrega os dados de demonstração que ainda faltam.")] = False,
    calls: Annotated[bool, typer.Option("--calls", help="Mostra chamadas prontas para colar.")] = False,
) -> None:
    """Mostra pessoas, clientes e identificadores da base de demonstração."""
    settings = Settings.load()
    offer = _load_offer(settings, load)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(offer)).decode())
    elif calls:
        for line in list_calls(settings, offer, SERVICES):
            console.print(line, soft_wrap=True)
    else:
        _print_tables(offer)


def _load_offer(settings: Settings, load: bool) -> Offer:
    async def run(url: str) -> Offer | None:
        from balcao_sandbox.demo import loading  # imports every service, so import it only here

        if load:
            await loading.load_once(settings, url)
        return await loading.fetch_offer(settings, url)

    with database.open_database(settings) as url:
        offer = asyncio.run(run(url))
    if offer is None:
        raise OperatorFault("Este banco não tem os dados de demonstração: `balcao demo --load` os carrega.")
    return offer


def _print_tables(offer: Offer) -> None:
    people = Table("nome", "CPF", "usuário", "senha", "grupos", title="Pessoas")
    for person in offer.people:
        people.add_row(person.name, person.cpf, person.username, person.password, " ".join(person.groups))
    clients = Table("cliente", "segredo", "escopos", title="Clientes")
    for client in offer.clients:
        clients.add_row(client.client_id, client.client_secret, " ".join(client.scopes))
    examples = Table("exemplo", "valor", title="Exemplos")
    for name, value in offer.examples.items():
        examples.add_row(name, str(value))
    bases = Table("serviço", "endereço", title="Endereços")
    for name, address in offer.base_urls.items():
        bases.add_row(name, address)
    console.print(people, clients, examples, bases)
