"""`balcao sandbox`: parts of the sandbox alone, for those who run the others elsewhere."""

import asyncio

from rich.console import Console

from balcao.cli.plan import LOOPBACK, listening, prepare_data_folder
from balcao.cli.portuguese import Commands
from balcao.core import logs
from balcao.crm.sandbox.server import build_server
from balcao.settings import Settings

sandbox = Commands(help="Partes da base de demonstração, cada uma por si.")
console = Console(stderr=True)


@sandbox.callback()
def group() -> None:
    """Keep `crm` a command of a group while it is the only one."""


@sandbox.command()
def crm() -> None:
    """Inicia só o CRM de demonstração, na porta seguinte à da base."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    prepare_data_folder(settings.data_dir)
    with listening(LOOPBACK, settings.crm_port, "CRM de demonstração") as sockets:
        console.print(f"CRM de demonstração em {settings.crm_url}. Ctrl-C encerra.")
        asyncio.run(build_server(settings).serve(sockets=[*sockets]))
