"""`balcao search`: what an operator does with the catalogue of services."""

from balcao.cli.portuguese import Commands
from balcao.cli.search_migration import migration

search = Commands(help="Catálogo de serviços: migrações do esquema da busca.")
search.add_typer(migration, name="migration")
