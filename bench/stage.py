"""What everybody who is measured stands on: one PostgreSQL with the demo data and ours, one issuer, the tokens."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from balcao import app
from balcao.cli import demo_data
from balcao.core.embedded import supervisor
from balcao.core.values.cpf import Cpf
from balcao.settings import Settings
from tests.support.issuer import Issuer

PEOPLE = 64
TOKEN_SECONDS = 3600
# A process keeps a thousand configurations; asked for in turn, so many are read from the database every time.
CONFIGS = 3000
# For pgbench, which cannot compute check digits: citizens with the same rows, numbered from here.
FIRST_NUMBER = 10_000_000_001
# Both of the sandbox; the platform trusts them by default.
WEBHOOK_CLIENT = "crm-sandbox"
RUNTIME_CLIENT = "agentes-runtime"

_PREFERENCES = """
WITH person AS (SELECT unnest($1::text[]) AS cpf),
     choice AS (
         INSERT INTO registry.preference_choice (cpf, category_id, opt_in)
         SELECT person.cpf, category.id, false
         FROM person, registry.notification_category AS category WHERE category.id IN ('events', 'courses')
     )
INSERT INTO registry.preferences (cpf) SELECT cpf FROM person
"""

_CONFIGS = """
INSERT INTO agents.agent_versions
    (version_id, config_id, prompt_id, agent_type, version, prompt, memory_blocks, tools, model_name, embedding_name,
     change_type, base_version, author, author_sub, reason, content_hash, created_at)
SELECT gen_random_uuid(), lpad(number::text, 32, '0')::uuid, gen_random_uuid(), agent_type, 1000 + number, prompt,
       memory_blocks, tools, model_name, embedding_name, change_type, base_version, author, author_sub, reason,
       content_hash, created_at
FROM agents.agent_versions, generate_series(1, $1) AS number
WHERE config_id = $2
"""

# Those with something to tell.
_UNITS = "SELECT DISTINCT cnes FROM health_units.notifications ORDER BY cnes"

_EMPTY = "TRUNCATE registry.crm_event, queue.pgqueuer, queue.pgqueuer_log, platform.audit_event"


@dataclass(frozen=True)
class Stage:
    """`own` are bearer tokens by CPF; `units` the CNES of units with a notification; `person` signs a further token."""

    settings: Settings
    database_url: str
    folder: Path
    issuer: str
    own: dict[str, str]
    webhook: str
    runtime: str
    units: list[str]
    person: Callable[[str, int], str]

    def empty(self) -> None:
        """No round of writing starts on the rows of the one before."""
        asyncio.run(_execute(self.database_url, _EMPTY, "CHECKPOINT"))


@contextlib.contextmanager
def prepared(folder: Path) -> Iterator[Stage]:
    """Durable as in production: a commit waits for the disk."""
    with supervisor.start(folder) as running, contextlib.closing(Issuer()) as issuer:
        url = running.server.url
        settings = Settings(data_dir=folder, database_url=url, auth_issuer=issuer.address)
        people = [Cpf.with_stem(f"900100{number:03}").digits for number in range(PEOPLE)]
        units = asyncio.run(_filled(settings, url, people))
        ends = int(time.time()) + TOKEN_SECONDS
        yield Stage(
            settings,
            url,
            folder,
            issuer.address,
            {cpf: issuer.person(cpf, exp=ends) for cpf in people},
            issuer.machine(WEBHOOK_CLIENT, exp=ends),
            issuer.machine(RUNTIME_CLIENT, exp=ends),
            units,
            lambda cpf, exp: issuer.person(cpf, exp=exp),
        )


async def _filled(settings: Settings, url: str, people: list[str]) -> list[str]:
    await app.bring_up_to_date(url)
    await demo_data.load_once(settings, url)
    offer = await demo_data.offer(settings, url)
    assert offer
    connection = await asyncpg.connect(url)
    try:
        numbered = [str(FIRST_NUMBER + number) for number in range(PEOPLE)]
        await connection.execute(_PREFERENCES, people + numbered)
        await connection.execute(_CONFIGS, CONFIGS, offer.examples["agent_config_id"])
        await connection.execute("ANALYZE")
        return [row["cnes"] for row in await connection.fetch(_UNITS)]
    finally:
        await connection.close()


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()
