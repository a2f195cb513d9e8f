"""A feature reads only its own tables.

Other features call the owner's service, use a part of a statement that the owner's store offers, or are listed here
with a reason. The owner is the feature that writes the table. If database functions write it, the owner is the feature
that declares its export. The tests read the text of stores, so a part of a statement counts for the store that contains
it. The collection's tables (`search.{physical}`) are known only by the alias that the collection provides.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tests.invariants.sources import SOURCE, Text, texts
from tests.invariants.test_feature_walls import writers

_CREATED = re.compile(r"CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?([a-z_]+\.[a-z_]+)")
_DROPPED = re.compile(r"DROP TABLE ([a-z_]+\.[a-z_]+)")
_MOVED = re.compile(r"ALTER TABLE (\w+\.\w+) SET SCHEMA (\w+)")
_NAMED = re.compile(r"\b([a-z_]+\.[a-z_]+)\b(?!\s*\()")

# The folders that read other features' tables, each with the reason and the tables.
READS: Mapping[str, tuple[str, set[str]]] = {
    "access/actions": (
        "Whom an action reaches, and what its removal would take away, is one question to the whole graph of rights.",
        {
            "access.catalogue_version",
            "access.endpoint_mapping",
            "access.group_role",
            "access.grp",
            "access.membership",
            "access.person",
            "access.person_role",
            "access.role",
            "access.role_action",
            "access.shipped_once",
        },
    ),
    "access/audit": ("It shows the trail that every change of the catalogue writes.", {"access.audit_event"}),
    "access/catalogue": (
        "The snapshot is the whole graph of rights as one statement sees it.",
        {
            "access.action",
            "access.group_role",
            "access.grp",
            "access.membership",
            "access.person",
            "access.person_role",
            "access.role",
            "access.role_action",
        },
    ),
    "access/decisions": ("It shows the denials of the trail.", {"access.audit_event"}),
    "access/documents": (
        "A document is compared with the whole graph of rights, and with nobody's half of a change.",
        {
            "access.action",
            "access.catalogue_version",
            "access.endpoint_mapping",
            "access.group_role",
            "access.grp",
            "access.membership",
            "access.person",
            "access.person_role",
            "access.role",
            "access.role_action",
            "access.shipped_once",
        },
    ),
    "access/groups": ("Members and roles are listed by their names, and must exist.", {"access.person", "access.role"}),
    "access/mappings": ("A mapping shows its action, and is written only while that is active.", {"access.action"}),
    "access/roles": (
        "A role shows its actions and holders, and is written only while its actions are active.",
        {"access.action", "access.group_role", "access.grp", "access.person", "access.person_role"},
    ),
    "access/users": (
        "What a person may do comes by their own roles and by their groups'.",
        {"access.group_role", "access.grp", "access.membership", "access.role"},
    ),
    "agents/datasets": ("A data set shows how many experiments it has.", {"agents.experiments"}),
    "agents/experiments": (
        "An experiment is of a version and over a data set, whose examples are joined page by page.",
        {
            "agents.agent_versions",
            "agents.dataset_example_revisions",
            "agents.dataset_examples",
            "agents.datasets",
        },
    ),
    "agents/history": (
        "The history shows the versions that are not hidden, and which is active.",
        {"agents.agent_version_hidden", "agents.agent_versions", "agents.agents"},
    ),
    "agents/prompts": (
        "A prompt is a member of a version, and the active one is that of the agent.",
        {
            "agents.agent_versions",
            "agents.agents",
        },
    ),
    "agents/webhooks": (
        "What is told of an activation are the members of its version.",
        {"agents.agent_activations", "agents.agent_versions"},
    ),
    "employability/hiring/listings": (
        "A listing is shown with the names of its company, department and reference values.",
        {"employability.company", "employability.department", "employability.reference_value"},
    ),
    "employability/hiring/search": (
        "Listings are filtered, paged, counted and shown by one statement.",
        {"employability.company", "employability.job", "employability.reference_value"},
    ),
    "employability/hiring/transfer": (
        "A line is a listing whole, to be compared with the file's or to leave.",
        {
            "employability.job",
            "employability.job_language",
            "employability.job_question",
            "employability.job_reference_value",
            "employability.job_step",
            "employability.reference_value",
        },
    ),
    "employability/legacy_jobs": (
        "A job of the former kind is shown with the names of its company and reference values.",
        {"employability.company", "employability.reference_value"},
    ),
    "employability/resume/bank": (
        "The bank of candidates filters and pages by what each resume's sections hold.",
        {
            "employability.education",
            "employability.experience",
            "employability.reference_value",
            "employability.resume",
            "employability.terms_acceptance",
        },
    ),
    "employability/resume/job_search": ("The values are shown by name.", {"employability.reference_value"}),
    "employability/resume/links": (
        "A link shows the names of its behaviour, or of its skill and area, which must belong together.",
        {"employability.behaviour", "employability.skill", "employability.skill_area", "employability.work_area"},
    ),
    "employability/resume/overview": (
        "A resume is read whole, as one statement sees it.",
        {
            "employability.behaviour",
            "employability.behaviour_link",
            "employability.job_search",
            "employability.preferred_contract",
            "employability.reference_value",
            "employability.resume",
            "employability.skill",
            "employability.skill_area",
            "employability.skill_link",
            "employability.work_area",
        },
    ),
    "employability/resume/sections": ("The values are shown by name.", {"employability.reference_value"}),
    "employability/selection/applications": (
        "An application is made, shown and cleared together with its listing and the copy of its person.",
        {"employability.candidate", "employability.job", "employability.job_event"},
    ),
    "employability/selection/blocks": (
        "Blocks are filtered by the departments of their listings.",
        {"employability.job"},
    ),
    "employability/selection/candidates": (
        "Candidates are filtered, counted and paged by their applications.",
        {"employability.application", "employability.application_content", "employability.application_tally"},
    ),
    "employability/selection/emails": (
        "An e-mail is taken up only while the step that it tells of is still the application's.",
        {
            "employability.application",
            "employability.application_event",
            "employability.company",
            "employability.job",
            "employability.job_step",
        },
    ),
    "employability/selection/people": (
        "Whose copy is renewed or goes depends on the applications that they have to live listings.",
        {"employability.application", "employability.job"},
    ),
    "employability/selection/submission": (
        "What a person did before they apply, and the terms that they accepted, is one look.",
        {"employability.application", "employability.terms_acceptance"},
    ),
    "health_units/counts": (
        "Notifications are counted by unit.",
        {"health_units.notifications", "health_units.units"},
    ),
    "health_units/feed": (
        "The jobs of the webhooks that want a change are enqueued by the statement that numbers it.",
        {"health_units.webhooks"},
    ),
    "health_units/notifications": (
        "A page without notifications tells an unknown unit from a calm one.",
        {"health_units.units"},
    ),
    "health_units/overview": (
        "What is open and what happened in the city is shown with its unit, in one order.",
        {"health_units.notification_events", "health_units.notifications", "health_units.units"},
    ),
    "health_units/risk": (
        "The risk of a unit is the newest of several facts, as one statement sees them.",
        {
            "health_units.feed_counter",
            "health_units.holidays",
            "health_units.notifications",
            "health_units.unit_exceptions",
            "health_units.unit_weekly_hours",
            "health_units.units",
        },
    ),
    "health_units/timetables": (
        "Hours are of a unit that there is, and are shown with its holidays.",
        {"health_units.holidays", "health_units.units"},
    ),
    "health_units/units": (
        "A unit leaves with its hours, in the line that its import takes.",
        {"health_units.unit_weekly_hours"},
    ),
    "health_units/webhooks": (
        "A delivery is shown with the change that it told, and can be replayed while the feed holds that.",
        {"health_units.change_feed"},
    ),
    "registry/consent/ledger": (
        "That the newest entries say what is stored is seen in one state of both; preferences build on the ledger.",
        {"registry.preferences", "registry.preference_choice"},
    ),
    "registry/consent/opt_outs": (
        "What senders are told of an entry is found by its id, with the numbers that the refusal of a person ends.",
        {"registry.phone_book", "registry.phone_book_entry", "registry.preference_ledger"},
    ),
    "registry/consent/preferences": (
        "A look-up merges choices with the categories' defaults, for many people at once.",
        {"registry.notification_category"},
    ),
    "registry/mobility/catalogue": (
        "A brand or model that a live vehicle has may not go; vehicles build on the catalogue.",
        {"registry.vehicle"},
    ),
    "registry/mobility/drivers": (
        "A link is decided on, shown and locked together with its vehicle; vehicles build on the links.",
        {"registry.vehicle"},
    ),
    "registry/person/search": (
        "Whom a name, a ticket, a request or a number leads to is found with the name to show in one statement.",
        {"registry.base_record", "registry.request", "registry.ticket"},
    ),
    "registry/person/settings": (
        "A choice holds only while the avatar is on offer, locked with it; avatars build on the settings.",
        {"registry.avatar"},
    ),
    "registry/person/tickets": (
        "The list shows imported tickets and own requests as one, sorted and counted by one statement.",
        {"registry.department", "registry.request", "registry.request_type_version"},
    ),
    "registry/person/wallet": (
        "The wallet is a column of the base record, and comes with it.",
        {"registry.base_record"},
    ),
    "registry/senders/recipients": (
        "Whether a recipient accepts is one question to the choices, the ledger, the phone book and the records, asked "
        "for a thousand people in one statement.",
        {
            "registry.base_record",
            "registry.mirror_head",
            "registry.notification_category",
            "registry.phone_book",
            "registry.phone_book_entry",
            "registry.preference_choice",
            "registry.preference_ledger",
            "registry.preferences",
        },
    ),
    "registry/requests/lifecycle": (
        "A request is listed with the name of its version, and staff see those of their departments and below.",
        {"registry.department", "registry.request_type_version", "registry.staff_department"},
    ),
    "registry/requests/types": ("A type names departments that exist.", {"registry.department"}),
    "registry/rights": (
        "The platform's trail is for every service to write and for this one to show; the report of the nightly "
        "retention tells how many people are anonymised. The trail names the departments of the staff who acted.",
        {
            "platform.audit_event",
            "platform.retention_report",
            "registry.department",
            "registry.mirror_head",
            "registry.staff_department",
            "registry.staff_hash",
        },
    ),
    "search/catalogue": ("A service is looked up by an address in one round trip.", {"search.service_slugs"}),
    "search/categories": ("Categories are ordered by their services' popularity.", {"search.service_popularity"}),
    "search/collection": (
        "A table is whole if it has missed no write; the runs that show what it missed build on the collection.",
        {"search.search_migration_errors"},
    ),
    "search/legacy_mappings": (
        "A mapping holds only while its service lives, locked with it.",
        {"search.service_head"},
    ),
    "search/phrases": (
        "Phrases are of a service that lives, and a proposal is a counted query that no service has as a phrase.",
        {"search.service_head", "search.zero_results"},
    ),
    "search/control_queries": ("A control query expects services that exist or existed.", {"search.service_head"}),
    "search/feedback": (
        "Feedback is of a service that lives, listed with the name of its newest version.",
        {"search.service_head", "search.service_versions"},
    ),
    "search/popularity": ("A view counts only of a service that there is.", {"search.service_head"}),
    "search/index": (
        "The index contains what decides the place of a service: its popularity and its phrases.",
        {"search.search_collection", "search.service_phrases", "search.service_popularity"},
    ),
    "search/proposals": (
        "A proposal holds only while its service lives, and is outdated by its next version.",
        {"search.service_head"},
    ),
    "search/schema_migrations": (
        "Whether a run can be undone is seen together with the tables that stand behind the collection.",
        {"search.search_collection"},
    ),
    "search/services": (
        "A list says who changed each service last and how many proposals it has, in one statement.",
        {"search.service_proposals", "search.service_versions"},
    ),
    "search/versions": (
        "A version is of a service, whose next number says how many there are.",
        {"search.service_head"},
    ),
}


def list_tables() -> set[str]:
    """Return the tables that exist after all migrations, each under its final schema."""
    migrations = [file.read_text("utf-8") for file in SOURCE.rglob("*.sql")]
    created, dropped = ({name for text in migrations for name in found.findall(text)} for found in (_CREATED, _DROPPED))
    moved = {old: f"{schema}.{old.partition('.')[2]}" for text in migrations for old, schema in _MOVED.findall(text)}
    return {moved.get(name, name) for name in created - dropped}


def folder(text: Text) -> str:
    return text.file.rpartition("/")[0]


def owners(found: Sequence[Text], tables: set[str]) -> dict[str, set[str]]:
    """Return the folders that own each table: its writers or, if there are none, the folders that declare it."""
    owned = {table: folders for table, folders in writers(list(found)).items() if table in tables}
    declared: dict[str, set[str]] = defaultdict(set)
    for text in found:
        if text.value in tables - owned.keys():
            declared[text.value].add(folder(text))
    return owned | declared


def strangers(found: Sequence[Text], tables: set[str]) -> dict[str, set[str]]:
    """Return the tables that each folder mentions without owning them. Skip `core/` and tables without an owner."""
    owned = owners(found, tables)
    named: dict[str, set[str]] = defaultdict(set)
    for text in found:
        if text.file.startswith("core/"):
            continue
        foreign = {
            table for table in _NAMED.findall(text.value) if folder(text) not in owned.get(table, {folder(text)})
        }
        if foreign:
            named[folder(text)] |= foreign
    return dict(named)


def test_a_table_is_read_by_its_owner_or_for_a_stated_reason() -> None:
    stated = {reader: tables for reader, (_, tables) in READS.items()}
    assert strangers(texts(), list_tables()) == stated


def test_every_table_has_one_owner() -> None:
    of_services = {table for table in list_tables() if not table.startswith("platform.")}
    owned = owners(texts(), of_services)
    assert {table: owned.get(table) for table in of_services if len(owned.get(table, ())) != 1} == {}


def test_a_read_of_another_features_table_is_seen() -> None:
    tables = {"registry.pet", "registry.owner"}
    written = Text("registry/pets/store.py", 1, "UPDATE registry.pet SET name = :name")
    declared = Text("registry/owners/api.py", 1, "registry.owner")
    joined = Text("registry/walks/store.py", 1, "SELECT FROM registry.owner JOIN registry.pet USING (id)")
    called = Text("registry/walks/store.py", 2, "SELECT registry.pet(:id)")
    assert strangers([written, declared, called], tables) == {}
    assert strangers([written, declared, joined], tables) == {"registry/walks": tables}
