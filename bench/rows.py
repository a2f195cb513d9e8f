"""The rows that the cases read and write, in addition to the demo data."""

from collections.abc import Sequence

import asyncpg

# A process caches a thousand configurations. With three times as many in rotation, it reads each one from the database.
CONFIGS = 3000

_PREFERENCES = """
WITH person AS (SELECT unnest($1::text[]) AS cpf),
     choice AS (
         INSERT INTO registry.preference_choice (cpf, category_id, opt_in)
         SELECT person.cpf, category.id, false
         FROM person, registry.notification_category AS category WHERE category.id IN ('events', 'courses')
     )
INSERT INTO registry.preferences (cpf) SELECT cpf FROM person
"""
# The version numbers are so high that new versions, saved during the measurement, never collide with them.
_CONFIGS = """
INSERT INTO agents.agent_versions
    (version_id, config_id, prompt_id, agent_type, version, prompt, memory_blocks, tools, model_name, embedding_name,
     change_type, base_version, author, author_sub, reason, content_hash, created_at)
SELECT gen_random_uuid(), lpad(number::text, 32, '0')::uuid, gen_random_uuid(), agent_type, 1000000 + number, prompt,
       memory_blocks, tools, model_name, embedding_name, change_type, base_version, author, author_sub, reason,
       content_hash, created_at
FROM agents.agent_versions, generate_series(1, $1) AS number
WHERE config_id = $2
"""
# Each person gets two pets from the city's records and one pet of their own.
_LOADED_PETS = """
INSERT INTO registry.loaded_pet (cpf, id_animal, record)
SELECT cpf, 900000 + number, record
FROM unnest($1::text[]) AS cpf, generate_series(1, 2) AS number,
     (SELECT record FROM registry.loaded_pet LIMIT 1) AS demo
"""
_OWN_PETS = """
INSERT INTO registry.own_pet (cpf, id_animal, record)
SELECT cpf, 1000000, record FROM unnest($1::text[]) AS cpf, (SELECT record FROM registry.loaded_pet LIMIT 1) AS demo
"""
# Selects the units with notifications.
_UNITS = "SELECT DISTINCT cnes FROM health_units.notifications ORDER BY cnes"
_EMPTY = """
TRUNCATE registry.crm_event, registry.own_pet, queue.pgqueuer, queue.pgqueuer_log, platform.audit_event,
    platform.idempotent_answer
"""


async def new_database(url: str, template: str, name: str) -> str:
    """Create an empty database on the server of `url`, and return its address."""
    await _execute(url.replace(f"@/{template}?", "@/template1?"), f"CREATE DATABASE {name}")
    return url.replace(f"@/{template}?", f"@/{name}?")


async def fill(url: str, people: Sequence[str], config_id: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_PREFERENCES, people)
        await connection.execute(_CONFIGS, CONFIGS, config_id)
        await connection.execute(_LOADED_PETS, people)
        await connection.execute(_OWN_PETS, people)
        await connection.execute("ANALYZE")
    finally:
        await connection.close()


async def units(url: str) -> list[str]:
    connection = await asyncpg.connect(url)
    try:
        return [row["cnes"] for row in await connection.fetch(_UNITS)]
    finally:
        await connection.close()


async def empty(url: str, people: Sequence[str]) -> None:
    """Delete the rows that the cases have written, and insert the people's own pets again."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_EMPTY)
        await connection.execute(_OWN_PETS, people)
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
