"""`balcao registry`: what an operator does in the citizen registry."""

import typer

from balcao.cli.ledger import verify_ledger

registry = typer.Typer(no_args_is_help=True, help="Registro do cidadão: conferência do histórico de preferências.")
# More than one command will come; a group of one would swallow its name.
registry.callback()(lambda: None)
registry.command("verify-ledger")(verify_ledger)
