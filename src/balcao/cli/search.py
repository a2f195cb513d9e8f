"""`balcao search`: what an operator does with the catalogue of services."""

from balcao.cli.portuguese import Commands
from balcao.cli.search_import import export, import_file
from balcao.cli.search_migration import migration

search = Commands(help="Catálogo de serviços: importação e exportação, migrações do esquema da busca.")
search.command("import")(import_file)
search.command()(export)
search.add_typer(migration, name="migration")
