"""The welcome message of `balcao serve`, `panel` and `site`: addresses, demo citizens, and a sample call."""

from collections.abc import Iterator, Mapping

from rich.text import Text

from balcao import sandbox
from balcao.cli.console import make_console
from balcao.operate.processes.channel import Report
from balcao.operate.processes.plan import Plan

console = make_console()


def welcome(plan: Plan, report: Report) -> None:
    """Print the welcome message to standard output. It has at most twenty lines."""
    for line in _list_addresses(plan, report.base_urls):
        console.print(line, soft_wrap=True)
    if plan.front == "api" and plan.settings.sandbox and report.offer is None:
        console.print(
            "Este banco não tem dados de demonstração. Para carregá-los, use `balcao demo --load`.", markup=False
        )
    if report.offer is not None and plan.settings.embedded_identity:
        list_people = sandbox.load(plan.settings, "welcome")
        for line in list_people(plan, report.offer):
            console.print(line, soft_wrap=True)
    console.print("\nCtrl-C encerra tudo; os dados ficam.")


def _list_addresses(plan: Plan, base_urls: Mapping[str, str]) -> Iterator[Text]:
    settings = plan.settings
    if plan.front == "panel":
        yield Text("\nO painel do Balcão está no ar.\n", style="bold green")
        yield Text(f"Endereço  {settings.own_panel_address}/painel")
        yield Text(f"Serviços  {settings.panel_services_url}")
        return
    if plan.front == "site":
        yield Text("\nO site do Balcão está no ar.\n", style="bold green")
        yield Text(f"Endereço  {settings.own_site_address}")
        yield Text(f"Serviços  {settings.site_services_url}")
        return
    yield Text("\nO Balcão está no ar.\n", style="bold green")
    if settings.has_site and not plan.services:
        yield Text(f"Site do cidadão   {settings.site_address}")
    yield Text(f"Endereço base     {settings.base_url}")
    if settings.has_panel and not plan.services:
        yield Text(f"Painel            {settings.panel_address}/painel")
    yield Text(f"Páginas das APIs  {settings.base_url}/docs")
    if "crm" in plan.roles:
        yield Text(f"CRM de demonstração  {settings.crm_url}")
    if plan.services:
        yield from (Text(f"  {name}  {base_urls[name]}") for name in plan.services)
