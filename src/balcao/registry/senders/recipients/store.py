"""SQL that checks recipients and stores the mailings."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Paged
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.registry.person.phone_book.states import UNPROVEN_LIFETIME
from balcao.registry.senders.recipients.schemas import Campaign


class CheckedCategory(msgspec.Struct, frozen=True):
    """An active category, and the client's mailing in it. `campaign` and `purpose` are None for a new mailing."""

    name: str
    default_opt_in: bool
    campaign: int | None
    purpose: str | None
    now: datetime


@lookup("""
SELECT category.name, category.default_opt_in, campaign.number AS campaign, campaign.purpose, clock_timestamp() AS now
FROM registry.notification_category AS category
LEFT JOIN registry.campaign
    ON campaign.category_id = category.id AND campaign.client = :client AND campaign.code = :code
WHERE category.id = :category AND category.active
""")
async def find_category(source: Source, category: str, client: str, code: str) -> CheckedCategory | None:
    """Return the category and the client's mailing. Return None if the category is unknown or inactive."""


# If a concurrent call has declared the mailing first, the statement returns that call's number and purpose.
@statement("""
INSERT INTO registry.campaign AS declared (client, category_id, code, purpose)
VALUES (:client, :category, :code, :purpose)
ON CONFLICT (client, category_id, code) DO UPDATE SET checked_at = declared.checked_at
RETURNING number, purpose
""")
async def declare_campaign(
    connection: Connection, client: str, category: str, code: str, purpose: str
) -> tuple[int, str]: ...


class Judged(msgspec.Struct, frozen=True):
    """Whether a recipient accepts.

    - `cpf`: the person asked about, or None if the phone number is bound to no person.
    - `is_chosen`: whether the person chose the category. Otherwise, its default applies.
    - `proof`: the ids of the entries that prove it. Empty if the recipient does not accept.
    """

    cpf: Cpf | None
    accepts: bool
    is_chosen: bool
    proof: list[str]


def _judge_sql(asked: str, cpf: str, may_write: str, further_proof: str) -> str:
    """Return the query that judges one person for each row of `asked`.

    `cpf` is the SQL expression of the person, `may_write` is a further condition, and `further_proof` is an array of
    further entries.

    OFFSET 0 forces one look-up by key for each row, even if PostgreSQL planned the query while the tables were small.
    An unknown person and a person who refuses cost the same look-ups. The ledger is read only for a person who accepts.
    """
    return f"""
    SELECT cpf, accepts, is_chosen, CASE WHEN accepts THEN array_remove(ARRAY[
        (SELECT id::text FROM registry.preference_ledger AS entry
         WHERE entry.cpf = judged.cpf AND category = :category ORDER BY seq DESC LIMIT 1),
        (SELECT id::text FROM registry.preference_ledger AS entry
         WHERE entry.cpf = judged.cpf AND category IS NULL ORDER BY seq DESC LIMIT 1)
    ], NULL) || {further_proof} ELSE '{{}}' END AS proof
    FROM (
        SELECT asked.*, {cpf} AS cpf, choice.opt_in IS NOT NULL AS is_chosen,
            {may_write}
            AND coalesce(general.opt_in, true)
            AND coalesce(choice.opt_in,
                :default_opt_in AND (:anyone OR head.is_known IS NOT NULL OR base.is_dead IS NOT NULL))
            AND NOT coalesce(base.is_dead, false)
            AND (:anyone OR head.anonymised_at IS NULL OR coalesce(choice.updated_at > head.anonymised_at, false))
            AS accepts
        FROM {asked}
        LEFT JOIN LATERAL (
            SELECT opt_in FROM registry.preferences WHERE preferences.cpf = {cpf} OFFSET 0
        ) AS general ON true
        LEFT JOIN LATERAL (
            SELECT opt_in, updated_at FROM registry.preference_choice AS stored
            WHERE stored.cpf = {cpf} AND category_id = :category OFFSET 0
        ) AS choice ON true
        LEFT JOIN LATERAL (
            SELECT anonymised_at, true AS is_known FROM registry.mirror_head WHERE mirror_head.cpf = {cpf} OFFSET 0
        ) AS head ON true
        LEFT JOIN LATERAL (
            SELECT coalesce(record #>> '{{obito,indicador}}' = 'true', false) AS is_dead
            FROM registry.base_record WHERE base_record.cpf = {cpf} OFFSET 0
        ) AS base ON true
    ) AS judged
    ORDER BY place
    """


@statement(
    _judge_sql(
        "unnest(:cpfs::text[]) WITH ORDINALITY AS asked (recipient, place)", "asked.recipient", "true", "'{}'::text[]"
    )
)
async def judge_people(
    connection: Connection, cpfs: Sequence[str], category: str, *, default_opt_in: bool, anyone: bool
) -> list[Judged]:
    """Judge each of these people. With `anyone`, the category's default also applies to unknown and erased people."""


# `hashes` contains `:keys` keyed hashes for each number, in the order of the numbers.
@statement(
    _judge_sql(
        """unnest(:numbers::text[]) WITH ORDINALITY AS asked (recipient, place)
        LEFT JOIN LATERAL (
            SELECT held.cpf, held.opt_in FROM registry.phone_book AS held
            WHERE held.number = asked.recipient
              AND CASE WHEN held.proof = 'code' THEN true ELSE registry.is_phone_bound(held, :lasting) END OFFSET 0
        ) AS bound ON true""",
        "bound.cpf",
        "coalesce(bound.opt_in, false)",
        """ARRAY(
            SELECT id::text FROM registry.phone_book_entry AS entry
            WHERE entry.cpf = judged.cpf AND action = 'opt_in'
              AND number_hash = ANY ((:hashes::bytea[])[(place - 1) * :keys::int + 1 : place * :keys::int])
            ORDER BY at DESC LIMIT 1)""",
    )
)
async def judge_phones(
    connection: Connection,
    numbers: Sequence[str],
    hashes: Sequence[bytes],
    keys: int,
    category: str,
    *,
    default_opt_in: bool,
    anyone: bool,
    lasting: timedelta = UNPROVEN_LIFETIME,
) -> list[Judged]:
    """Judge the people to whom these numbers are currently bound.

    `anyone` has the same meaning as in `judge_people`.
    """


# Lock order: first people, in the order of their hashes, so that two calls about the same people cannot wait for each
# other. Then the mailing, whose count changes.
@statement("""
WITH recorded AS (
    INSERT INTO registry.campaign_person (campaign, person)
    SELECT :campaign, person FROM unnest(:people::bytea[]) AS person ORDER BY person
    ON CONFLICT DO NOTHING RETURNING person
), counted AS (
    UPDATE registry.campaign SET people = people + (SELECT count(*) FROM recorded), checked_at = clock_timestamp()
    WHERE number = :campaign AND EXISTS (SELECT FROM recorded)
)
SELECT person FROM recorded
""")
async def add_campaign_people(connection: Connection, campaign: int, people: Sequence[bytes]) -> set[bytes]:
    """Add people to the mailing. Return those who were not yet part of it."""


@statement(
    page_sql(
        """
        SELECT number, client, category_id AS category, code, purpose, people, declared_at, checked_at
        FROM registry.campaign ORDER BY number DESC LIMIT :limit OFFSET :offset
        """,
        "SELECT count(*) FROM registry.campaign",
    )
)
async def select_campaigns(connection: Connection, page: Page) -> Paged[Campaign]: ...


@statement("SELECT count(*) FROM registry.campaign_person")
async def count_campaign_people(connection: Connection) -> int: ...


@statement("DELETE FROM registry.campaign_person WHERE at <= now() - :age::interval")
async def delete_old_campaign_people(connection: Connection, age: timedelta) -> int: ...


@statement("SELECT count(*) FROM registry.campaign")
async def count_campaigns(connection: Connection) -> int: ...


@statement("DELETE FROM registry.campaign WHERE checked_at <= now() - :age::text::interval")
async def delete_old_campaigns(connection: Connection, age: str) -> int: ...


# An inactive category accepts no messages.
@statement(
    f"""
WITH category AS (SELECT default_opt_in FROM registry.notification_category WHERE id = :category AND active)
SELECT coalesce(bool_or(judged.accepts), false)
FROM category CROSS JOIN LATERAL (
    {_judge_sql("(VALUES (:cpf::text, 1)) AS asked (recipient, place)", "asked.recipient", "true", "'{}'::text[]")}
) AS judged
""".replace(":default_opt_in", "category.default_opt_in").replace(":anyone", "true")
)
async def accepts_category(connection: Connection, cpf: Cpf, category: str) -> bool:
    """Return whether a person accepts a category. The category's default also applies to unknown and erased people."""
