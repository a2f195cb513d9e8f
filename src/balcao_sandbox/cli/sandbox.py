"""`balcao sandbox`: run or use individual parts of the sandbox."""

import asyncio
from datetime import timedelta
from email.message import EmailMessage
from typing import Annotated, Any

import msgspec
import typer

from balcao.cli.console import make_console
from balcao.cli.portuguese import Commands
from balcao.core import logs
from balcao.core.mail import MailFolder, create_mailer
from balcao.core.values.cpf import Cpf
from balcao.gateway.listening import accept_first
from balcao.operate import database
from balcao.operate.faults import OperatorFault
from balcao.operate.processes.plan import LOOPBACK, claiming, prepare_data_folder
from balcao.settings import Settings
from balcao_sandbox.cli.token import Who, find_person
from balcao_sandbox.crm.server import build_server
from balcao_sandbox.passing_time.service import pass_time

sandbox = Commands(help="Partes da base de demonstração, cada uma por si.")
console = make_console(stderr=True)


@sandbox.command()
def crm() -> None:
    """Inicia só o CRM de demonstração, na porta seguinte à da base."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    prepare_data_folder(settings.data_dir)
    with claiming(LOOPBACK, settings.crm_port, "CRM de demonstração") as sockets:
        for sock in sockets:
            accept_first(sock)
        console.print(f"CRM de demonstração em {settings.crm_url}. Ctrl-C encerra.")
        asyncio.run(build_server(settings).serve(sockets=[*sockets]))


@sandbox.command()
def emails(as_json: Annotated[bool, typer.Option("--json", help="Para programas.")] = False) -> None:
    """Mostra os e-mails que a base de demonstração escreveu em vez de enviar, do mais antigo ao mais novo."""
    mailer = create_mailer(Settings.load())
    if not isinstance(mailer, MailFolder):
        raise OperatorFault("Esta instalação envia os seus e-mails por BALCAO_SMTP_URL, ou não envia nenhum.")
    found = [_describe(email) for email in mailer.list_emails()]
    if as_json:
        print(msgspec.json.encode(found).decode())
        return
    for email in found:
        print(f"{email['date']}  {email['to']}\n{email['subject']}\n\n{email['text']}")
    if not found:
        console.print("Nenhum e-mail até agora.")


@sandbox.command("pass-time")
def let_time_pass(
    who: Who,
    minutes: Annotated[int, typer.Option(min=0, help="Quantos minutos.")] = 0,
    days: Annotated[int, typer.Option(min=0, help="Quantos dias.")] = 0,
) -> None:
    """Simula a passagem do tempo para uma pessoa de demonstração: vence já o que só venceria depois."""
    settings = Settings.load(finds_trial=True)
    if not (minutes or days):
        raise OperatorFault("Diga quanto tempo passa: --minutes 15, ou --days 91.")
    person, time = find_person(who), timedelta(minutes=minutes, days=days)
    url = settings.owner_url(database.find_database(settings))
    aged = asyncio.run(pass_time(url, Cpf(person.cpf), time))
    for kind, count in aged.items():
        console.print(f"{kind}: {count}")
    console.print("O que a tarefa da noite encerra, `balcao retention run` encerra agora.")


def _describe(email: EmailMessage) -> dict[str, Any]:
    headers = {name: email[name] for name in ("date", "to", "subject")}
    return {name: str(value) for name, value in headers.items()} | {"text": email.get_content()}
