"""SQL for the notification preferences."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from balcao.core.context.audit import record_sql
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.registry.consent.opt_outs.store import announce_sql
from balcao.registry.consent.preferences.schemas import Preferences


# This query always returns one row. If the citizen has made no choice, the row contains the categories' defaults and
# the time of the last change to a category.
@lookup("""
SELECT :cpf::text AS cpf,
       coalesce(preferences.opt_in, true) AS opt_in,
       categories.opt_ins AS category_opt_ins,
       coalesce(preferences.updated_at, categories.updated_at) AS updated_at
FROM (
    SELECT coalesce(
               jsonb_object_agg(category.id, coalesce(choice.opt_in, category.default_opt_in))
                   FILTER (WHERE category.active),
               '{}'
           )::text AS opt_ins,
           max(category.updated_at) AS updated_at
    FROM registry.notification_category AS category
    LEFT JOIN registry.preference_choice AS choice ON choice.category_id = category.id AND choice.cpf = :cpf
) AS categories
LEFT JOIN registry.preferences ON preferences.cpf = :cpf
""")
async def select_preferences(source: Source, cpf: Cpf) -> Preferences:
    """Return the preferences. The caller must already have checked that they may be read."""


class StoredChoice(msgspec.Struct, frozen=True):
    """A person's choice for one category, active or not. `chosen` is None if the person has made no choice."""

    chosen: bool | None
    default_opt_in: bool

    @property
    def opt_in(self) -> bool:
        """Whether the person accepts messages in the category."""
        return self.default_opt_in if self.chosen is None else self.chosen


@statement("""
SELECT choice.opt_in AS chosen, category.default_opt_in
FROM registry.notification_category AS category
LEFT JOIN registry.preference_choice AS choice ON choice.category_id = category.id AND choice.cpf = :cpf
WHERE category.id = :category
""")
async def read_choice(connection: Connection, cpf: Cpf, category: str) -> StoredChoice: ...


# The change's ledger entries that withdraw consent, as a relation with their ids.
_WITHDRAWN = """(
    SELECT entry.id FROM locked, jsonb_to_recordset(:entries::jsonb) AS entry (id uuid, new_value boolean)
    WHERE NOT entry.new_value
)"""


# One statement writes the change, its ledger entries and its audit event. It writes nothing unless the ledger still
# ends with `behind`, which was its last entry when the preferences were read.
#
# Lock order: `append_preference_entries` locks the citizen's preferences. Every other CTE reads from `locked`, so
# nothing else is locked or written before that.
#
# Defaults: a choice that equals the category's default is stored too, so the choice remains if the default changes.
@statement(f"""
WITH appended AS MATERIALIZED (
    SELECT registry.append_preference_entries(:after.cpf, :behind, :entries::jsonb) AS is_held
), locked AS (
    SELECT true FROM appended WHERE is_held
), flagged AS (
    INSERT INTO registry.preferences (cpf, opt_in, updated_at)
    SELECT :after.cpf, :after.opt_in, :after.updated_at FROM locked WHERE :entries::jsonb <> '[]'
    ON CONFLICT (cpf) DO UPDATE SET opt_in = excluded.opt_in, updated_at = excluded.updated_at
), chosen AS (
    INSERT INTO registry.preference_choice AS stored (cpf, category_id, opt_in, updated_at)
    SELECT :after.cpf, choice.key, choice.value::boolean, clock_timestamp()
    FROM locked, jsonb_each(:choices::jsonb) AS choice
    ON CONFLICT (cpf, category_id) DO UPDATE SET opt_in = excluded.opt_in, updated_at = excluded.updated_at
    WHERE stored.opt_in <> excluded.opt_in
), recorded AS (
    {record_sql(":trail::jsonb", "locked")}
), {announce_sql(_WITHDRAWN)}
SELECT true FROM locked
""")
async def write_preferences(
    connection: Connection,
    after: Preferences,
    choices: Mapping[str, bool],
    *,
    behind: int,
    entries: Sequence[Mapping[str, Any]],
    trail: str,
) -> bool:
    """Write the change. Return False, and write nothing, if the ledger no longer ends with the entry `behind`."""


@statement("""
SELECT (SELECT count(*) FROM registry.preferences WHERE cpf = :cpf)
     + (SELECT count(*) FROM registry.preference_choice WHERE cpf = :cpf)
""")
async def count_preference_rows(connection: Connection, cpf: Cpf) -> int:
    """Return the number of rows that store the citizen's global flag and choices."""
