"""Migrations since the previous release only expand the schema, so processes of that release work during an upgrade.

These tests read the text of the migrations. `make previous` runs the previous release's tests on the migrated database.
"""

import re

import pytest

from balcao import app
from tools.previous_release import RELEASED

# The first line that a migration must have if it removes something. The line names the release that stopped using it.
CONTRACTS = re.compile(r"-- Contracts: unused since [0-9]+\.[0-9]+\.[0-9]+")
_ASIDE = re.compile(r"--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'", re.DOTALL)
_TAKES_AWAY = re.compile(
    r"\bDROP\s+(?:TABLE|COLUMN|VIEW|MATERIALIZED|SCHEMA|TYPE|FUNCTION|SEQUENCE|DOMAIN|DEFAULT)\b|\bRENAME\b|\bTRUNCATE\b"
    r"|\bREVOKE\b|\bSET\s+NOT\s+NULL\b|\bALTER\s+COLUMN\s+\w+\s+(?:SET\s+DATA\s+)?TYPE\b"
    r"|\bADD\s+COLUMN\b(?:(?!\bDEFAULT\b|\bGENERATED\b|,|;).)*\bNOT\s+NULL\b(?!(?:(?!,|;).)*\bDEFAULT\b)",
    re.IGNORECASE | re.DOTALL,
)


def find_contracting(sql: str) -> list[str]:
    """Return the parts of statements that remove something, or that require a value unknown to the last release.

    Comments, string literals and function bodies are ignored.
    """
    return [found[0] for found in _TAKES_AWAY.finditer(_ASIDE.sub("", sql))]


def test_migrations_since_the_last_release_take_nothing_away() -> None:
    numbered = [each for each in app.list_migrations() if not each.is_repeatable]
    since = [each for each in numbered if int(each.name[:4]) > RELEASED.get(each.owner, 0)]
    contracting = {f"{each.owner}/{each.name}": find_contracting(each.sql) for each in since}
    assert {name: found for name, found in contracting.items() if found} == {
        f"{each.owner}/{each.name}": find_contracting(each.sql) for each in since if CONTRACTS.match(each.sql)
    }


def test_files_of_functions_take_nothing_away() -> None:
    """They run again after each change. Only a numbered migration may drop a function, one release later.

    PostgreSQL grants EXECUTE on a new function to PUBLIC. Revoking that takes nothing away from the services' role.
    """
    repeatable = [each for each in app.list_migrations() if each.is_repeatable]
    assert repeatable
    from_public = re.compile(r"\bREVOKE\b[^;]*\bFROM PUBLIC\b")
    assert {each.name: found for each in repeatable if (found := find_contracting(from_public.sub("", each.sql)))} == {}


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE a.b",
        "ALTER TABLE a.b DROP COLUMN c",
        "alter table a.b rename column c to d",
        "ALTER TABLE a.b ALTER COLUMN c TYPE bigint",
        "ALTER TABLE a.b ALTER COLUMN c SET NOT NULL",
        "ALTER TABLE a.b ADD COLUMN c integer NOT NULL",
        "ALTER TABLE a.b ADD COLUMN c integer NOT NULL CHECK (c > 0), ADD COLUMN d text DEFAULT ''",
        "REVOKE INSERT ON a.b FROM balcao_app",
        "DROP FUNCTION a.f(text)",
    ],
)
def test_what_an_older_process_would_miss_is_found(statement: str) -> None:
    assert find_contracting(f"CREATE TABLE x (y text NOT NULL);\n{statement};")


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE a.b ADD COLUMN c integer",
        "ALTER TABLE a.b ADD COLUMN c integer NOT NULL DEFAULT 0",
        "ALTER TABLE a.b ADD COLUMN c integer DEFAULT 0 NOT NULL",
        "CREATE TABLE a.b (c text NOT NULL)",
        "CREATE INDEX i ON a.b (c); DROP INDEX a.j",
        "ALTER TABLE a.b DROP CONSTRAINT c",
        "-- DROP TABLE a.b\nSELECT 'DROP TABLE'",
        "CREATE OR REPLACE FUNCTION a.f() RETURNS void LANGUAGE sql AS $$ DROP TABLE a.b $$",
    ],
)
def test_what_only_expands_passes(statement: str) -> None:
    assert find_contracting(statement) == []
