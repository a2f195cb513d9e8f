"""`balcao registry`: what an operator does in the citizen registry."""

from balcao.cli.ledger import verify_ledger
from balcao.cli.portuguese import Commands
from balcao.cli.registry_import import import_file

registry = Commands(help="Registro do cidadão: carga do município, conferência do histórico.")
registry.command("import")(import_file)
registry.command("verify-ledger")(verify_ledger)
