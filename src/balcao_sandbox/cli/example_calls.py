"""Shell commands for some of the demo people and clients: a token, and example calls."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from balcao.settings import Settings
from balcao_sandbox.demo.offer import Client, Offer, Person

PEOPLE = ("ana", "editora", "kleber")
CLIENTS = ("crm-sandbox", "agentes-runtime")
WEBHOOK = '{"cpf":"{citizen_cpf}","dados":{"nomeExibicao":"Ana"}}'


@dataclass(frozen=True)
class Example:
    """An example call and its caller.

    Names in braces in `path` and `body` are replaced with values from the demo data.
    """

    who: str
    service: str
    path: str
    method: str = "GET"
    body: str = ""


EXAMPLES = (
    Example("ana", "registry", "/citizen/{citizen_cpf}/notification-preferences"),
    Example("ana", "employability", "/api/v1/empregabilidade/modelos-trabalho/{work_model_id}"),
    Example("ana", "health_units", "/unidade/{cnes_active}/risco"),
    Example("editora", "search", "/api/v1/admin/services/{service_id}/versions/compare?from_version=1&to_version=2"),
    Example("kleber", "access", "/api/v1/actions/{action_id}", "PUT", "{}"),
    Example("crm-sandbox", "registry", "/webhooks/crm/cidadao", "POST", WEBHOOK),
    Example("agentes-runtime", "agents", "/api/v1/agent-config/by-id/{agent_config_id}"),
    Example("agentes-runtime", "agent_docs", "/swagger.json"),
)


def choose_people(offer: Offer) -> list[Person]:
    """Return the people whose calls are printed, in the order of PEOPLE."""
    return [person for name in PEOPLE for person in offer.people if person.username == name]


def list_calls(settings: Settings, offer: Offer, served: Sequence[str]) -> Iterator[Text]:
    """Yield the lines to print: for each caller, a token command and calls to the `served` services."""
    commands = Commands(settings, offer)
    yield Text("Pessoas e clientes de demonstração: um token e chamadas de cada um", style="bold")
    for person in choose_people(offer):
        known_by = f"CPF {person.cpf}  usuário {person.username}  senha {person.password}"
        yield Text(f"\n{person.name}  {known_by}", style="bold cyan")
        yield Text(f"  {commands.person_token(person)}")
        yield from commands.calls(person.username, served)
    for client in (c for name in CLIENTS for c in offer.clients if c.client_id == name):
        yield Text(f"\nCliente {client.client_id}", style="bold cyan")
        yield Text(f"  {commands.client_token(client)}")
        yield from commands.calls(client.client_id, served)


class Commands:
    """Creates shell commands that work independently of this process's environment."""

    def __init__(self, settings: Settings, offer: Offer) -> None:
        self._settings = settings
        self._offer = offer

    def person_token(self, person: Person) -> str:
        """Return the command that prints a person's token."""
        return self._token(person.username)

    def _token(self, who: str) -> str:
        issuer = [] if _issuer_is_default(self._settings) else ["--issuer", self._settings.issuers[0]]
        return shlex.join([*own_command(), "token", who, *issuer])

    def client_token(self, client: Client) -> str:
        """Return the command with which a client requests a token from the provider."""
        login = (f"client_id={client.client_id}", f"client_secret={client.client_secret}")
        fields = shlex.join(["-d", "grant_type=client_credentials", "-d", login[0], "-d", login[1]])
        return f"curl -s {fields} {self._settings.issuers[0]}/protocol/openid-connect/token"

    def calls(self, who: str, served: Sequence[str]) -> Iterator[Text]:
        """Yield the commands for the calls of a person or client, one on each line."""
        for example in EXAMPLES:
            if example.who == who and example.service in served and (line := self._call(example)):
                yield Text(f"  {line}")

    def _call(self, example: Example) -> str | None:
        """Return the command for a call.

        Return None if the demo data contains no value for one of the names in braces.
        """
        path, body = self._fill(example.path), self._fill(example.body)
        if path is None or body is None:
            return None
        options = shlex.join(["-X", example.method, "-H", "Content-Type: application/json", "-d", body])
        prefix = "" if example.method == "GET" else f"{options} "
        address = shlex.quote(self._offer.base_urls[example.service] + path)
        return f'curl -s -H "Authorization: Bearer $({self._token(example.who)})" {prefix}{address}'

    def _fill(self, template: str) -> str | None:
        for name, value in self._offer.examples.items():
            template = template.replace(f"{{{name}}}", str(value))
        return None if re.search(r"\{\w+\}", template) else template


def _issuer_is_default(settings: Settings) -> bool:
    names = ("host", "port", "public_url", "realm", "auth_issuer")
    return all(getattr(settings, name) == Settings.model_fields[name].default for name in names)


def own_command() -> list[str]:
    """Return the command that starts this program from a shell in the current folder."""
    here = Path(sys.argv[0]).absolute()
    if here.name == "__main__.py":
        return [sys.executable, "-m", "balcao"]
    if shutil.which("balcao") == str(here):
        return ["balcao"]
    # Without the slash, the shell would look for the command in its PATH.
    if here.parent == Path.cwd():
        return [f"./{here.name}"]
    return [os.path.relpath(here) if here.is_relative_to(Path.cwd()) else str(here)]
