"""Each statement on a person's data names the person by `cpf`, so that the rows could lie on the person's own server.

What does not is named with its reason, and so is what keeps the tables together on one server today (ADR 0007).
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

from balcao import registry
from balcao.core.database.batching import Lookup
from tests.support.fixtures import Sql
from tests.support.shards import ANYBODY, MANY, ONE, Reach, iterate_strings, measure_reach

# They hold whose number it is now, and are found by the number.
BY_NUMBER = {"registry.phone_book", "registry.phone_book_entry"}
# Of all people's servers, or of one that the statement does not know.
ANYBODYS = {
    "a job knows the id of an event, of a push or of a code, and never a person": {
        "crm.events.store._ERASE_COVERED",
        "crm.events.store._FINISH",
        "crm.events.store._GIVE_UP_EVENT",
        "crm.events.store._SUBJECTS",
        "crm.events.store._TAKE",
        "mirror.outbox_store._FAILED",
        "mirror.outbox_store._GIVE_UP_PUSH",
        "mirror.outbox_store._OWNER",
        "mirror.outbox_store._PUSHES",
        "mirror.outbox_store._REMOVE",
        "mirror.outbox_store._SENT",
        "mirror.outbox_store._TAKE",
        "person.phones.store._ERASE_CODE",
        "person.phones.store._READ_UNSENT",
        "person.phones.store._VERIFICATIONS",
    },
    "the owner is read with the vehicle, which its conductors read too": {
        "mobility.vehicles.store._READ",
        "mobility.vehicles.store._READ_WITH_LINKS",
    },
    "an import writes the people of a file": {
        "city.companies.store._DELETE_MEMBERS",
        "city.companies.store._INSERT_MEMBERS",
        "person.citizens.store._UPSERT",
        "person.pets.store._UPSERT_IMPORTED",
        "person.tickets.store._UPSERT",
    },
    "operators list and count": {
        "consent.ledger.store._CONTRADICTED",
        "consent.ledger.store._LINKS",
        "crm.events.store._WAITING",
        "crm.state.store._COUNT",
        "crm.state.store._COUNTS",
        "crm.state.store._LIST",
        "crm.state.store._OLDEST",
        "crm.state.store._OLDEST_EVENT",
        "crm.state.store._OLDEST_PUSH",
        "mirror.store._LIST_TOMBSTONES",
    },
    "retention goes through all": {
        "consent.ledger.store._COUNT_ALL",
        "consent.ledger.store._DELETE_OLD",
        "crm.events.store._COUNT_ALL",
        "crm.events.store._COUNT_PAYLOADS",
        "crm.events.store._DELETE_OLD",
        "crm.events.store._ERASE_OLD_PAYLOADS",
        "mirror.login_write_store._DELETE_OLD",
        "person.phones.store._COUNT",
        "person.phones.store._ERASE_EXPIRED",
    },
    "an avatar is withdrawn from whoever chose it": {"person.settings.store._CLEAR_AVATAR"},
}
# A person's row and one that every person's share, written by one statement: the audit event, the job, the kept answer.
TOGETHER = {
    "consent.preferences.store._CHANGE",
    "crm.events.store._ACCEPT",
    "mirror.own_write_store._WRITE_OWN",
    "mirror.store._CONFIRM_CONSENT",
    "person.pets.store._INSERT",
    "person.phones.store._OPEN",
    "person.phones.store._TAKE_TRY",
    "person.settings.store._END_FIRST_LOGIN",
    "person.settings.store._REMOVE_AVATAR",
    "person.settings.store._SET_AVATAR",
}
# Unique among all people, by the id that a job or an operator names.
KEYS_WITHOUT_PERSON = {
    ("registry.crm_event", "id"),
    ("registry.outbox", "id"),
    ("registry.outbox", "job"),
    ("registry.phone_verification", "id"),
    ("registry.preference_ledger", "id"),
}
_STATEMENT = re.compile(r"\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b")

_PERSONS = """
SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace = 'registry'::regnamespace AND relkind = 'r' AND attname = 'cpf'
"""
_KEYS = """
SELECT indrelid::regclass::text AS name, array_to_string(ARRAY(
    SELECT attname FROM unnest(indkey::int2[]) AS at JOIN pg_attribute ON attrelid = indrelid AND attnum = at
    ORDER BY attnum), ', ') AS key
FROM pg_index WHERE indisunique AND indrelid::regclass::text = ANY ($1)
"""
_REFERENCES = """
SELECT conrelid::regclass::text AS name, confrelid::regclass::text AS other,
       (SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS key
FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text = ANY ($1)
"""


@pytest.fixture(scope="module")
def persons(sql: Sql) -> set[str]:
    return {row["name"] for row in sql(_PERSONS)} - BY_NUMBER


def list_statements() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each statement that is whole when the registry's stores are loaded."""
    for found in pkgutil.walk_packages(registry.__path__, f"{registry.__name__}."):
        if not found.name.endswith("store"):
            continue
        for name, value in vars(importlib.import_module(found.name)).items():
            texts = (value.of_one, value.of_many) if isinstance(value, Lookup) else value
            for text in filter(_STATEMENT.match, iterate_strings(texts)):
                if "{" not in re.sub(r"'[^']*'", "", text):
                    yield f"{found.name.removeprefix('balcao.registry.')}.{name}", text


def test_every_statement_on_a_persons_data_names_the_person_or_is_named_here(persons: set[str]) -> None:
    reaches = [(name, measure_reach(text, persons)) for name, text in list_statements()]
    touching = [(name, reach) for name, reach in reaches if reach.persons]
    assert len(touching) > 100
    assert {name for name, reach in touching if reach.widest == ANYBODY} == set().union(*ANYBODYS.values())


def test_what_ties_a_persons_rows_to_everybodys_is_named(persons: set[str]) -> None:
    def ties(reach: Reach) -> bool:
        return bool(reach.written & persons) and any(not table.startswith("registry.") for table in reach.written)

    assert {name for name, text in list_statements() if ties(measure_reach(text, persons))} == TOGETHER


def test_keys_and_references_of_a_persons_rows_have_the_person_in_them(persons: set[str], sql: Sql) -> None:
    keys = {(row["name"], row["key"]) for row in sql(_KEYS, list(persons)) if "cpf" not in row["key"].split(", ")}
    assert keys == KEYS_WITHOUT_PERSON
    for row in sql(_REFERENCES, list(persons)):
        assert row["other"] not in persons or row["key"] == ["cpf"], row


A, B = "registry.ticket", "registry.settings"


@pytest.mark.parametrize(
    ("statement", "reach"),
    [
        (f"SELECT FROM {A} WHERE cpf = $1", ONE),
        (f"SELECT FROM {A} WHERE cpf = $1::text AND id = $2", ONE),
        (f"SELECT FROM {A} WHERE id = $1", ANYBODY),
        (f"SELECT FROM {A} WHERE cpf = $1 OR id = $2", ANYBODY),
        (f"SELECT FROM {A} WHERE NOT cpf = $1", ANYBODY),
        (f"SELECT FROM {A} WHERE cpf <> $1", ANYBODY),
        (f"SELECT FROM {A} WHERE cpf = ANY ($1)", MANY),
        (f"SELECT FROM unnest($1::text[]) AS asked (cpf) JOIN {A} USING (cpf)", MANY),
        (f"SELECT FROM {A} AS a JOIN {B} AS b USING (cpf) WHERE a.cpf = $1", ONE),
        (f"SELECT FROM {A} AS a JOIN {B} AS b ON b.cpf = a.cpf WHERE a.cpf = $1", ONE),
        (f"SELECT FROM {A} AS a, {B} AS b WHERE a.cpf = $1", ANYBODY),
        (f"WITH asked AS (SELECT $1::text AS key) SELECT FROM asked JOIN {A} ON {A.split('.')[1]}.cpf = key", ANYBODY),
        (f"WITH asked AS (SELECT $1::text AS key) SELECT FROM asked JOIN {A} AS a ON a.cpf = asked.key", ONE),
        (f"SELECT (SELECT count(*) FROM {A} AS a WHERE a.cpf = b.cpf) FROM {B} AS b WHERE b.cpf = $1", ONE),
        (f"SELECT (SELECT count(*) FROM {A}) FROM {B} AS b WHERE b.cpf = $1", ANYBODY),
        (f"INSERT INTO {A} (cpf, id) VALUES ($1, $2)", ONE),
        (f"INSERT INTO {A} (id, cpf) VALUES ($1, gen_random_uuid())", ANYBODY),
        (f"INSERT INTO {A} (id, cpf) SELECT $2, b.cpf FROM {B} AS b WHERE b.cpf = $1", ONE),
        (f"INSERT INTO {A} (id, cpf) SELECT $2, b.cpf FROM {B} AS b", ANYBODY),
        (f"UPDATE {A} SET id = $2 WHERE cpf = $1", ONE),
        (f"UPDATE {A} SET cpf = $1 WHERE id = $2", ANYBODY),
        (f"DELETE FROM {A} USING (SELECT 1) AS always WHERE cpf = $1", ONE),
        (f"WITH gone AS (DELETE FROM {A} WHERE cpf = $1 RETURNING cpf) DELETE FROM {B} AS b USING gone "
         "WHERE b.cpf = gone.cpf", ONE),
        (f"SELECT FROM {A} WHERE cpf = $1 UNION ALL SELECT FROM {A}", ANYBODY),
    ],
)  # fmt: skip
def test_the_reach_of_a_statement_is_the_widest_of_its_parts(statement: str, reach: str) -> None:
    assert measure_reach(statement, {A, B}).widest == reach
