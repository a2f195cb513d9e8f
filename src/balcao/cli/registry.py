"""`balcao registry`: import the city's files, and verify the preferences ledger."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from balcao.cli.console import make_console, print_json
from balcao.cli.imports import AllowRefused, DryRun, LinesOrTable, Report, offer_kinds, run_import
from balcao.cli.options import Json
from balcao.cli.people import parse_cpf
from balcao.cli.portuguese import Commands

if TYPE_CHECKING:
    from balcao.core.context.call import Call
    from balcao.registry.consent.ledger.service import Verification

registry = Commands(help="Registro do cidadão: carga do município, conferência do histórico.")
console = make_console()

BREAKS = {
    "gap": "falta uma entrada antes desta",
    "detached": "não continua a entrada anterior",
    "altered": "foi alterada",
    "state": "a preferência guardada é outra",
}


@registry.command("import")
def import_file(
    file: LinesOrTable,
    kind: Annotated[str, offer_kinds("registry", show_default=True)] = "citizens",
    dry_run: DryRun = False,
    report: Report = None,
    source: Annotated[
        str | None, typer.Option(help="De onde vêm os dados, quando a linha não diz.", show_default=False)
    ] = None,
    allow_refused: AllowRefused = False,
    as_json: Json = False,
) -> None:
    """Carrega um arquivo do município. O mesmo comando, depois de interrompido, continua de onde parou."""
    run_import(
        "registry", file, kind, report, dry_run=dry_run, allow_refused=allow_refused, as_json=as_json, origin=source
    )


@registry.command("verify-ledger")
def verify_ledger(
    cpf: Annotated[str | None, typer.Option(help="Só a cadeia deste cidadão.", show_default=False)] = None,
    as_json: Json = False,
) -> None:
    """Confere as cadeias do histórico de preferências; termina com 1 quando alguma não está íntegra."""
    from balcao.operate.use_cases import run_use_case
    from balcao.registry.consent.ledger import service

    person = None if cpf is None else parse_cpf(cpf)

    async def verify(call: "Call") -> "Verification":
        # Use one snapshot. Otherwise an entry that is written during the check would look like a break in the chain.
        async with call.platform.database.transaction(isolation="repeatable_read") as connection:
            return await service.verify_ledger(connection, person)

    found = run_use_case("registry.verify_ledger", verify)
    if as_json:
        print_json(found)
    else:
        _print_verification(found)
    if found.findings:
        raise typer.Exit(1)


def _print_verification(found: "Verification") -> None:
    console.print(f"{found.entries} entradas de {found.chains} cidadãos.")
    if not found.findings:
        console.print("Todas as cadeias estão íntegras.")
        return
    table = Table("cidadão", "posição", "entrada", "o que há")
    for finding in found.findings:
        table.add_row(finding.cpf, str(finding.seq), finding.id, BREAKS[finding.fault])
    console.print(table)
