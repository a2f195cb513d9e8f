"""`balcao registry`: what an operator does in the citizen registry."""

import typer

from balcao.cli.ledger import verify_ledger
from balcao.cli.registry_import import generate, import_file

registry = typer.Typer(no_args_is_help=True, help="Registro do cidadão: carga do município, conferência do histórico.")
registry.command("import")(import_file)
registry.command()(generate)
registry.command("verify-ledger")(verify_ledger)
