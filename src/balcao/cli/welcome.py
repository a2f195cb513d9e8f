"""What `balcao serve` prints when it is ready: addresses, demo people, one call that works when pasted."""

from collections.abc import Iterator, Mapping

from rich.text import Text

from balcao.cli.console import make_console
from balcao.cli.example_calls import Commands, choose_people, own_command
from balcao.cli.offer import Offer
from balcao.cli.plan import Plan
from balcao.cli.processes.channel import Report
from balcao.operate.names import SERVICES

console = make_console()


def welcome(plan: Plan, report: Report) -> None:
    """Print the welcome, at most twenty lines, to standard output."""
    offer = report.offer
    for line in _list_addresses(plan, report.base_urls):
        console.print(line, soft_wrap=True)
    if plan.settings.sandbox and offer is None:
        console.print("Sem dados de demonstração neste banco: `balcao demo --load` os carrega.", markup=False)
    if offer is not None and plan.settings.embedded_identity:
        for line in _list_people(plan, offer):
            console.print(line, soft_wrap=True)
    console.print("\nCtrl-C encerra tudo; os dados ficam.")


def _list_addresses(plan: Plan, base_urls: Mapping[str, str]) -> Iterator[Text]:
    settings = plan.settings
    yield Text("\nO Balcão está no ar.\n", style="bold green")
    yield Text(f"Endereço base     {settings.base_url}")
    yield Text(f"Páginas das APIs  {settings.base_url}/docs")
    if "crm" in plan.roles:
        yield Text(f"CRM de demonstração  {settings.crm_url}")
    if plan.services:
        yield from (Text(f"  {name}  {base_urls[name]}") for name in plan.services)


def _list_people(plan: Plan, offer: Offer) -> Iterator[Text]:
    """Yield the people to log in as, and a first call."""
    commands = Commands(plan.settings, offer)
    yield Text()
    for person in choose_people(offer):
        yield Text(f"{person.name}: usuário {person.username}, senha {person.password}, CPF {person.cpf}", style="cyan")
    first, *_ = choose_people(offer)
    yield Text(f"Um token    {commands.person_token(first)}")
    for call in list(commands.calls(first.username, plan.services or SERVICES))[:1]:
        yield Text(f"Uma chamada {str(call).strip()}")
    yield Text(f"De todos os serviços: {' '.join(own_command())} demo --calls")
    yield Text(f"Uma tarefa falhou de propósito, para ser vista: {' '.join(own_command())} jobs list --state dead")
