"""The demo part of the message that `balcao serve` prints when it is ready: logins, and an example call."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from rich.text import Text

from balcao.operate.names import SERVICES
from balcao.operate.processes.plan import Plan
from balcao_sandbox.cli.example_calls import Commands, choose_people, own_command
from balcao_sandbox.demo.offer import Offer


def list_people(plan: Plan, reported: Mapping[str, Any]) -> Iterator[Text]:
    """Yield lines that list demo people to log in as, and commands that get a token and make a first call."""
    offer = msgspec.convert(reported, Offer)
    commands = Commands(plan.settings, offer)
    yield Text()
    for person in choose_people(offer):
        yield Text(f"{person.name}: usuário {person.username}, senha {person.password}, CPF {person.cpf}", style="cyan")
    if plan.settings.trial_mailbox_url:
        yield Text(f"Os códigos de confirmação de telefone chegam em {plan.settings.trial_mailbox_url}")
    first, *_ = choose_people(offer)
    yield Text(f"Um token    {commands.person_token(first)}")
    for call in list(commands.calls(first.username, plan.services or SERVICES))[:1]:
        yield Text(f"Uma chamada {str(call).strip()}")
    yield Text(f"De todos os serviços: {' '.join(own_command())} demo --calls")
    yield Text(f"Uma tarefa falhou de propósito, para ser vista: {' '.join(own_command())} jobs list --state dead")
