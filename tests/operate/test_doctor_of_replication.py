"""`balcao doctor` on a server whose commits wait for a replica without a replication slot."""

import json

from tests.cluster.postgres import Postgres
from tests.cluster.servers import folders, make_database
from tests.support.polling import until_now
from tests.support.terminal import Terminal


def test_a_synchronous_replica_without_a_slot_is_a_problem() -> None:
    with folders(2) as (home, own), Postgres.create(home) as server:
        make_database(server)
        terminal = Terminal(own, database_url=server.url("balcao_app"), data_dir=own)
        assert not finds_it(terminal)

        server.sql("ALTER SYSTEM SET synchronous_standby_names = 'replica_1'")
        server.sql("SELECT pg_reload_conf()")
        until_now(lambda: server.sql("SHOW synchronous_standby_names")[0][0] == "replica_1")
        assert finds_it(terminal)

        server.sql("SELECT pg_create_physical_replication_slot('balcao_backup')")
        assert finds_it(terminal)
        server.sql("SELECT pg_create_physical_replication_slot('replica_1')")
        assert not finds_it(terminal)


def finds_it(terminal: Terminal) -> bool:
    """Return whether doctor reports the missing slot.

    The database has no migrations, so doctor reports other faults too.
    """
    part = json.loads(terminal.run("doctor", "--json").stdout)["parts"]["database"]
    return any("slot de replicação" in sentence for sentence in part["wrong"])
