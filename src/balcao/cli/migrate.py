"""`balcao migrate`: migrate the configured database."""

from typing import TYPE_CHECKING

from balcao.cli.console import make_console

if TYPE_CHECKING:
    from balcao.core.database.migrations import Migration

console = make_console(stderr=True)


def migrate() -> None:
    """Aplica as migrações que faltam e carrega os dados de referência."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from balcao.operate.migrations import count_migrations, migrate_database

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Migrações", total=count_migrations())

        def progress(migration: "Migration") -> None:
            bar.update(task, advance=1, description=f"{migration.owner}/{migration.name}")

        ran = migrate_database(progress)
    print(f"Banco em dia: {ran} migrações aplicadas agora.")
