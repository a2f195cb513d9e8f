"""`python -m bench.recipients`: the CPU time that our process and PostgreSQL need to check 1,000 recipients.

The caller is in the same process, so its time is included. CPU time is comparable between machines, unlike wall time.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import httpx
import psutil
import typer
from rich.console import Console
from rich.table import Table

from balcao import app
from balcao.core.context.call import Call
from balcao.core.imports import service
from balcao.registry import SERVICE
from balcao.registry.senders.recipients.questions import MOST
from balcao.settings import Settings
from balcao_sandbox.demo.registry import invented
from balcao_sandbox.postgresql import supervisor
from bench.imports import Cost, Meter, execute
from tests.support.issuer import Issuer, bearer
from tests.support.operator_calls import acting
from tests.support.server import RunningServer

console = Console(highlight=False, width=100)
PATH = "/registry/v1/notification-categories/health/recipients/check"
MILLISECONDS = 1_000  # the meter counts microseconds per row; here a row is a check
# Every third person has made a choice for the category, and half of these people refused. Every person has a number
# with consent.
FILLING = """
INSERT INTO registry.preference_choice (cpf, category_id, opt_in)
SELECT cpf, 'health', number % 6 = 0
FROM (SELECT cpf, row_number() OVER (ORDER BY cpf) AS number FROM registry.base_record) AS people
WHERE number % 3 = 0;
INSERT INTO registry.preference_ledger
    (cpf, seq, id, timestamp, action, scope, category, channel, old_value, new_value, actor_kind, azp, request_id,
     prev_hash, hash)
SELECT cpf, 1, gen_random_uuid(), now(), 'category_update', 'category', 'health', 'web', NOT opt_in, opt_in, 'owner',
       'x', 'x', sha256('x'), sha256('x')
FROM registry.preference_choice;
INSERT INTO registry.phone_book (number, cpf, proof, opt_in, bound_at, version)
SELECT '55' || cpf, cpf, 'code', true, now(), gen_random_uuid() FROM registry.base_record;
VACUUM ANALYZE
"""


def main(
    citizens: Annotated[int, typer.Option(min=MOST, help="Quantas pessoas o registro tem.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, help="Quantas consultas de cada tipo.")] = 20,
) -> None:
    """Mede quanto custa consultar mil destinatários de uma vez."""
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        with supervisor.start(folder / "data") as running:
            url = running.server.url
            postmaster = psutil.Process(int((running.server.data_dir / "postmaster.pid").read_text().split()[0]))
            app.migrate_now(url)
            with acting(Settings(data_dir=folder / "acting"), url, "bench.recipients", bare=True) as act:
                act(_import, citizens)
            execute(url, FILLING)
            _show(_measure(folder, url, Meter(postmaster), rounds))


async def _import(call: Call, citizens: int) -> None:
    await service.import_rows(call.platform, SERVICE.imports["citizens"], invented.make_citizens(citizens))


def _measure(folder: Path, url: str, meter: Meter, rounds: int) -> dict[str, Cost]:
    """Return the CPU microseconds per check, by kind."""
    issuer = Issuer()
    settings = Settings(auth_issuer=issuer.address, data_dir=folder / "server", recipients_limit="1000000000/day")
    cpfs = [row.cpf for row in invented.make_citizens(MOST)]
    numbers = count()
    found: dict[str, Cost] = {}
    with RunningServer(app.build_application(settings, url, ["registry"])) as server:
        headers = bearer(issuer.machine("envios", "rmi:consentimento:check"))
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as http:
            kinds: Mapping[str, Callable[[], dict[str, Any]]] = {
                "CPFs, first check": lambda: {"campaign": f"new-{next(numbers)}", "cpfs": cpfs},
                "CPFs, repeated": lambda: {"campaign": "same", "cpfs": cpfs},
                "phones, first check": lambda: {
                    "campaign": f"new-{next(numbers)}",
                    "phones": [f"+55{cpf}" for cpf in cpfs],
                },
                "phones, repeated": lambda: {"campaign": "same", "phones": [f"+55{cpf}" for cpf in cpfs]},
            }
            for kind, make in kinds.items():
                check = partial(_check_often, http, make)
                check(2)  # warms up
                found[kind] = meter.measure(partial(check, rounds), rounds)
    issuer.close()
    return found


def _check_often(http: httpx.Client, make: Callable[[], dict[str, Any]], times: int) -> None:
    for answer in _check(http, make, times):
        if answer.status_code != httpx.codes.OK:
            raise SystemExit(answer.text)


def _check(http: httpx.Client, make: Callable[[], dict[str, Any]], times: int) -> Iterator[httpx.Response]:
    for _ in range(times):
        yield http.post(PATH, json={"purpose": "survey"} | make())


def _show(found: Mapping[str, Cost]) -> None:
    table = Table(f"ms of CPU for {MOST:,} recipients", "Balcão and caller", "PostgreSQL", "total")
    for kind, cost in found.items():
        figures = (cost.command, cost.server, cost.whole)
        table.add_row(kind, *(f"{figure / MILLISECONDS:,.1f}" for figure in figures))
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
