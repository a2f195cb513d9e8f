"""PostgreSQL servers prepared as in docs/operate/install.md: one, or a primary with a streaming replica."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from balcao import app
from tests.cluster.postgres import COPY, Postgres
from tests.support.polling import until_now
from tests.support.terminal import open_folder, remove

SYNCHRONOUS = "SELECT true FROM pg_stat_replication WHERE sync_state = 'sync'"


@contextmanager
def folders(count: int) -> Iterator[list[Path]]:
    made = [open_folder() for _ in range(count)]
    yield made
    for folder in made:
        remove(folder)


def prepare(server: Postgres) -> None:
    """Create the roles and the database, and migrate the database."""
    make_database(server)
    app.migrate_now(server.url("balcao"))


def make_database(server: Postgres) -> None:
    """Create the roles and an empty database."""
    server.sql("CREATE ROLE balcao LOGIN", database="postgres")
    server.sql("CREATE ROLE balcao_app LOGIN", database="postgres")
    for role in ("balcao_panel", "balcao_site"):
        server.sql(f"CREATE ROLE {role} LOGIN", database="postgres")
        server.sql(f"GRANT {role} TO balcao_app", database="postgres")
    server.sql("CREATE DATABASE balcao OWNER balcao", database="postgres")


@contextmanager
def cluster(*, synchronous: bool = True) -> Iterator[tuple[Postgres, Postgres]]:
    """Yield a migrated primary and its replica."""
    with folders(2) as (one, two), Postgres.create(one) as primary:
        prepare(primary)
        with primary.copy(two) as replica:
            if synchronous:
                primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{COPY}'")
                primary.sql("SELECT pg_reload_conf()")
                until_now(lambda: bool(primary.sql(SYNCHRONOUS)))
            yield primary, replica
