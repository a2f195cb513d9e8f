"""Each statement on personal data selects the person by `cpf`, so that the data could be sharded by person.

The exceptions are listed with their reasons. The tests also list why the tables need a single server today (ADR 0007).
"""

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

from balcao import registry
from balcao.core.database.lookups import Lookup
from balcao.core.database.statements import STATEMENTS
from tests.registry.shards import ANY_PERSON, MANY, ONE, Reach, measure_reach
from tests.support.fixture_types import Sql

# Tables of phone numbers and their current owners. The numbers are the keys for look-ups.
BY_NUMBER = {"registry.phone_book", "registry.phone_book_entry"}
# Statements that access all shards, or a shard that their parameters do not determine.
OF_ANY_PERSON = {
    "a job knows the id of an event, of a push or of a code, and never a person": {
        "consent.opt_outs.find_subjects",
        "consent.opt_outs.read_withdrawn",
        "crm.events.erase_covered_events",
        "crm.events.finish_event",
        "crm.events.give_up_event",
        "crm.events.find_event_subjects",
        "crm.events.take_event",
        "mirror.outbox._find_pushes",
        "mirror.outbox.delete_outbox_row",
        "mirror.outbox.find_outbox_owner",
        "mirror.outbox.mark_fields_sent",
        "mirror.outbox.record_push_failure",
        "mirror.outbox.take_outbox_row",
        "person.phones.erase_code",
        "person.phones.read_unsent_code",
        "person.phones.find_verifications",
    },
    "the owner is read with the vehicle, which its conductors read too": {
        "mobility.vehicles.read_visible_vehicle",
        "mobility.vehicles.read_removable_vehicle",
    },
    "a check judges the people of a list": {"senders.recipients.accepts_category"},
    "an import writes the people of a file": {
        "city.companies.delete_company_members",
        "city.companies.insert_company_members",
        "person.citizens.upsert_base_records",
        "person.pets.upsert_imported_pets",
        "person.tickets.upsert_tickets",
    },
    "who stands at the counter is found without a CPF": {
        "person.search.find_by_name",
        "person.search.find_by_protocol",
    },
    "a job knows the id of a request, the CRM and staff its number, and a receipt has no person": {
        "requests.lifecycle._give_up_steps",
        "requests.lifecycle._lock_request_by_id",
        "requests.lifecycle.erase_texts",
        "requests.lifecycle.find_request_owners",
        "requests.lifecycle.lock_request",
        "requests.lifecycle.select_request",
        "requests.lifecycle.select_request_by_id",
    },
    "operators list and count": {
        "crm.events.count_waiting_events",
        "crm.events.count_matching_events",
        "crm.state.read_crm_counts",
        "crm.events.list_matching_events",
        "crm.state._find_oldest",
        "consent.ledger.find_contradicted_entries",
        "consent.ledger._list_links",
        "mirror.list_tombstones",
        "requests.lifecycle.list_closed_requests",
        "requests.lifecycle.list_open_requests",
        "rights.count_anonymised_people",
    },
    "retention goes through all": {
        "crm.events.count_crm_events",
        "crm.events.count_event_payloads",
        "crm.events.delete_old_crm_events",
        "crm.events.erase_old_event_payloads",
        "consent.ledger.count_all_ledger_entries",
        "consent.ledger.delete_old_chains",
        "mirror.login_write.count_login_writes",
        "mirror.login_write.delete_old_login_writes",
        "person.phones.count_verifications",
        "person.phones.erase_expired_verifications",
        "requests.lifecycle.count_requests",
        "requests.lifecycle.delete_old_requests",
        "requests.lifecycle.list_old_requests",
    },
    "a hash of a member of staff leads to the department, in every shard": {
        "city.staff_departments.delete_former_staff_hashes",
        "city.staff_departments.list_staff_without_hash",
        "rights.select_accesses",
    },
    "jobs compare the storage with all files, and copies contain new files of all people": {
        "person.files.delete_expired_files",
        "person.files.find_orphans",
        "person.files.list_stored_files",
    },
    "an avatar is withdrawn from whoever chose it": {"person.settings.clear_chosen_avatar"},
}
# Statements that write a person's row and, with it, a row in a shared table: an audit event, a job or a stored
# response.
TOGETHER = {
    "crm.events._insert_events",
    "consent.preferences.write_preferences",
    "mirror.own_write.apply_own_write",
    "mirror.confirm_consent",
    "person.pets.insert_pet",
    "person.phones.open_verification",
    "person.phones.take_try",
    "person.settings.end_first_login",
    "person.settings.remove_chosen_avatar",
    "person.settings.set_chosen_avatar",
}
# Keys that must be unique across all people, because a job or an operator has only the id.
KEYS_WITHOUT_PERSON = {
    ("registry.crm_event", "id"),
    ("registry.outbox", "id"),
    ("registry.outbox", "job"),
    ("registry.phone_verification", "id"),
    ("registry.preference_ledger", "id"),
    ("registry.request", "id"),
    ("registry.request", "number"),
    ("registry.staff_hash", "hash"),
}

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
    """Yield the name and the SQL of each statement in the registry. A look-up has two SQL texts."""
    for found in pkgutil.walk_packages(registry.__path__, f"{registry.__name__}."):
        importlib.import_module(found.name)
    texts = [(statement.name, statement.sql) for statement in STATEMENTS.values()]
    texts += [(each.name, each.shared_sql) for each in STATEMENTS.values() if isinstance(each, Lookup)]
    for name, text in texts:
        if name.startswith("registry."):
            yield name.removeprefix("registry."), text


def test_every_statement_on_a_persons_data_names_the_person_or_is_named_here(persons: set[str]) -> None:
    reaches = [(name, measure_reach(text, persons)) for name, text in list_statements()]
    touching = [(name, reach) for name, reach in reaches if reach.persons]
    assert len(touching) > 100
    assert {name for name, reach in touching if reach.widest == ANY_PERSON} == set().union(*OF_ANY_PERSON.values())


def test_what_ties_a_persons_rows_to_everybodys_is_named(persons: set[str]) -> None:
    def ties(reach: Reach) -> bool:
        return bool(reach.written & persons) and any(not table.startswith("registry.") for table in reach.written)

    assert {name for name, text in list_statements() if ties(measure_reach(text, persons))} == TOGETHER


def test_keys_and_references_of_a_persons_rows_have_the_person_in_them(persons: set[str], sql: Sql) -> None:
    keys = {(row["name"], row["key"]) for row in sql(_KEYS, list(persons)) if "cpf" not in row["key"].split(", ")}
    assert keys == KEYS_WITHOUT_PERSON
    for row in sql(_REFERENCES, list(persons)):
        assert row["other"] not in persons or "cpf" in row["key"], row


A, B = "registry.ticket", "registry.settings"


@pytest.mark.parametrize(
    ("statement", "reach"),
    [
        (f"SELECT FROM {A} WHERE cpf = $1", ONE),
        (f"SELECT FROM {A} WHERE cpf = $1::text AND id = $2", ONE),
        (f"SELECT FROM {A} WHERE id = $1", ANY_PERSON),
        (f"SELECT FROM {A} WHERE cpf = $1 OR id = $2", ANY_PERSON),
        (f"SELECT FROM {A} WHERE NOT cpf = $1", ANY_PERSON),
        (f"SELECT FROM {A} WHERE cpf <> $1", ANY_PERSON),
        (f"SELECT FROM {A} WHERE cpf = ANY ($1)", MANY),
        (f"SELECT FROM unnest($1::text[]) AS asked (cpf) JOIN {A} USING (cpf)", MANY),
        (f"SELECT FROM {A} AS a JOIN {B} AS b USING (cpf) WHERE a.cpf = $1", ONE),
        (f"SELECT FROM {A} AS a JOIN {B} AS b ON b.cpf = a.cpf WHERE a.cpf = $1", ONE),
        (f"SELECT FROM {A} AS a, {B} AS b WHERE a.cpf = $1", ANY_PERSON),
        (
            f"WITH asked AS (SELECT $1::text AS key) SELECT FROM asked JOIN {A} ON {A.split('.')[1]}.cpf = key",
            ANY_PERSON,
        ),
        (f"WITH asked AS (SELECT $1::text AS key) SELECT FROM asked JOIN {A} AS a ON a.cpf = asked.key", ONE),
        (f"SELECT (SELECT count(*) FROM {A} AS a WHERE a.cpf = b.cpf) FROM {B} AS b WHERE b.cpf = $1", ONE),
        (f"SELECT (SELECT count(*) FROM {A}) FROM {B} AS b WHERE b.cpf = $1", ANY_PERSON),
        (f"INSERT INTO {A} (cpf, id) VALUES ($1, $2)", ONE),
        (f"INSERT INTO {A} (id, cpf) VALUES ($1, gen_random_uuid())", ANY_PERSON),
        (f"INSERT INTO {A} (id, cpf) SELECT $2, b.cpf FROM {B} AS b WHERE b.cpf = $1", ONE),
        (f"INSERT INTO {A} (id, cpf) SELECT $2, b.cpf FROM {B} AS b", ANY_PERSON),
        (f"UPDATE {A} SET id = $2 WHERE cpf = $1", ONE),
        (f"UPDATE {A} SET cpf = $1 WHERE id = $2", ANY_PERSON),
        (f"DELETE FROM {A} USING (SELECT 1) AS always WHERE cpf = $1", ONE),
        (f"WITH gone AS (DELETE FROM {A} WHERE cpf = $1 RETURNING cpf) DELETE FROM {B} AS b USING gone "
         "WHERE b.cpf = gone.cpf", ONE),
        (f"SELECT FROM {A} WHERE cpf = $1 UNION ALL SELECT FROM {A}", ANY_PERSON),
    ],
)  # fmt: skip
def test_the_reach_of_a_statement_is_the_widest_of_its_parts(statement: str, reach: str) -> None:
    assert measure_reach(statement, {A, B}).widest == reach
