"""`balcao registry verify-ledger`: verify that the proofs of consent are as they were written."""

import asyncio
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from balcao.cli.console import make_console
from balcao.core.values.cpf import Cpf
from balcao.operate import database
from balcao.operate.faults import OperatorFault
from balcao.registry.consent.ledger import service
from balcao.registry.consent.ledger.chain import Break
from balcao.registry.consent.ledger.service import Verification
from balcao.settings import Settings

console = make_console()

WORDS = {
    Break.GAP: "falta uma entrada antes desta",
    Break.DETACHED: "não continua a entrada anterior",
    Break.ALTERED: "foi alterada",
    Break.STATE: "a preferência guardada diz outra coisa",
}


def verify_ledger(
    cpf: Annotated[str | None, typer.Option(help="Só a cadeia deste cidadão.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Confere as cadeias do histórico de preferências; termina com 1 quando alguma não está íntegra."""
    found = _verify(_parse_cpf(cpf))
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        _print_table(found)
    if found.findings:
        raise typer.Exit(1)


def _parse_cpf(text: str | None) -> Cpf | None:
    cpf = None if text is None else Cpf.parse_path(text)
    if text is not None and cpf is None:
        raise OperatorFault("O CPF é inválido: use 11 dígitos.")
    return cpf


def _verify(cpf: Cpf | None) -> Verification:
    settings = Settings.load()

    async def run(url: str) -> Verification:
        async with (
            database.open_platform(settings, url) as platform,
            platform.database.transaction(isolation="repeatable_read") as connection,
        ):
            return await service.verify(connection, cpf)

    with database.open_database(settings) as url:
        return asyncio.run(run(url))


def _print_table(found: Verification) -> None:
    console.print(f"{found.entries} entradas de {found.chains} cidadãos.")
    if not found.findings:
        console.print("Todas as cadeias estão íntegras.")
        return
    table = Table("cidadão", "posição", "entrada", "o que há")
    for finding in found.findings:
        table.add_row(finding.cpf, str(finding.seq), finding.id, WORDS[finding.fault])
    console.print(table)
