"""Statements as signatures: what a stub's names and types make of its text, its arguments and its rows."""

import datetime
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import pytest

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged
from balcao.core.database.statements import STATEMENTS, MalformedStatement, Statement, statement
from balcao.core.values.cnes import Cnes
from balcao.core.values.cpf import Cpf

ANA = Cpf.with_stem("111444777")
BIA = Cpf.with_stem("529982247")


class Colour(StrEnum):
    RED = "red"


class Pet(msgspec.Struct, frozen=True):
    name: str
    colour: Colour | None = None
    owner: Cpf | None = None
    toys: list[str] = []


@dataclass(frozen=True)
class Point:
    x: int
    y: int


class Pair(NamedTuple):
    name: str
    point: Point | None


@statement("SELECT :name AS name, :colour AS colour, :owner AS owner, :toys::jsonb AS toys")
async def echo_pet(connection: Connection, pet: Pet) -> Pet | None: ...


@statement("SELECT 'x' AS name WHERE :there")
async def find_pet(connection: Connection, there: bool) -> Pet | None: ...


@statement("SELECT name, colour FROM jsonb_to_recordset(:pets::jsonb) AS pet (name text, colour text) ORDER BY name")
async def echo_pets(connection: Connection, pets: Sequence[Pet]) -> list[Pet]: ...


@statement("SELECT jsonb_build_object('name', 'Rex', 'colour', 'red', 'toys', '[\"ball\"]'::jsonb)")
async def read_document(connection: Connection) -> Json[Pet]: ...


@statement("SELECT :first.x::int + :second.x::int + :second.y::int")
async def add(connection: Connection, first: Point, second: Point) -> int: ...


@statement("SELECT 'both' AS name, jsonb_build_object('x', :x::int, 'y', :y::int) AS point")
async def pair_up(connection: Connection, x: int, y: int = 2) -> Pair: ...


@statement("SELECT digits FROM unnest(:cpfs::text[]) AS digits ORDER BY digits")
async def echo_cpfs(connection: Connection, cpfs: Collection[Cpf]) -> set[Cpf]: ...


@statement("SELECT :cnes::text, :cpf::text, :day::date, :id::uuid, ARRAY['red']")
async def echo_values(
    connection: Connection, cnes: Cnes, cpf: Cpf | None, day: datetime.date, id: UUID
) -> tuple[Cnes, Cpf | None, datetime.date, UUID, list[Colour]]: ...


@statement("SELECT 'a', 1 UNION ALL SELECT 'b', 2")
async def count_by_name(connection: Connection) -> Mapping[str, int]: ...


@statement("SELECT 'a' AS name, 1 AS number")
async def read_members(connection: Connection) -> dict[str, Any]: ...


@statement("SELECT 1 AS number")
async def read_row(connection: Connection) -> Row: ...


@statement(page_sql("SELECT x, x * 2 AS y FROM generate_series(1, 5) AS x LIMIT :limit OFFSET :skip", "SELECT 5"))
async def list_points(connection: Connection, *, limit: int, skip: int = 0) -> Paged[Point]: ...


@statement("CREATE TEMPORARY TABLE IF NOT EXISTS noted (name text UNIQUE)")
async def create_table(connection: Connection) -> None: ...


@statement("INSERT INTO noted SELECT unnest(:names::text[]) ON CONFLICT DO NOTHING")
async def note_all(connection: Connection, names: frozenset[str]) -> int: ...


@statement("DELETE FROM noted WHERE name = :name")
async def forget(connection: Connection, name: str) -> bool: ...


@statement("INSERT INTO noted VALUES (:name) ON CONFLICT DO NOTHING RETURNING true")
async def note(connection: Connection, name: str) -> bool: ...


async def test_a_struct_goes_out_by_its_members_and_comes_back_by_its_columns(platform: Platform) -> None:
    rex = Pet("Rex", Colour.RED, ANA, ["ball"])
    async with platform.database.connection() as connection:
        assert await echo_pet(connection, rex) == rex
        assert await find_pet(connection, True) == Pet("x")
        assert await find_pet(connection, False) is None
        assert await echo_pets(connection, [Pet("b"), Pet("a", Colour.RED)]) == [Pet("a", Colour.RED), Pet("b")]
        assert await read_document(connection) == Pet("Rex", Colour.RED, toys=["ball"])


async def test_members_of_one_name_are_told_apart_by_their_struct(platform: Platform) -> None:
    async with platform.database.connection() as connection:
        assert await add(connection, Point(1, 10), Point(2, 20)) == 23
        assert await pair_up(connection, 1) == Pair("both", Point(1, 2))
        assert await pair_up(connection, y=1, x=3) == Pair("both", Point(3, 1))


async def test_numbers_of_people_and_units_are_stored_as_digits(platform: Platform) -> None:
    day, id_ = datetime.date(2030, 1, 2), UUID(int=7)
    async with platform.database.connection() as connection:
        assert await echo_cpfs(connection, {ANA, BIA}) == {ANA, BIA}
        found = await echo_values(connection, Cnes("0000007"), None, day, id_)
        assert found == (Cnes("0000007"), None, day, id_, [Colour.RED])
        assert (await echo_values(connection, Cnes("0000007"), BIA, day, id_))[1] == BIA


async def test_rows_are_read_by_what_is_returned(platform: Platform) -> None:
    async with platform.database.connection() as connection:
        assert await count_by_name(connection) == {"a": 1, "b": 2}
        assert await read_members(connection) == {"name": "a", "number": 1}
        assert (await read_row(connection))["number"] == 1
        assert await list_points(connection, limit=2, skip=2) == ([Point(3, 6), Point(4, 8)], 5)
        assert await list_points(connection, limit=2, skip=9) == ([], 5)


async def test_a_statement_without_rows_tells_what_it_touched(platform: Platform) -> None:
    async with platform.database.transaction() as connection:
        await create_table(connection)
        assert await note_all(connection, frozenset({"a", "b"})) == 2
        assert not await note(connection, "a")
        assert await note(connection, "c")
        assert await forget(connection, "a")
        assert not await forget(connection, "a")


def test_a_statement_is_known_by_its_feature_and_function() -> None:
    assert forget.name == "tests.core.test_statements.forget"
    assert forget.sql.startswith(f"/* {forget.name} */ DELETE")
    assert STATEMENTS[forget.name] is forget
    assert echo_pet.parameters == ["name", "colour", "owner", "toys::jsonb"]


def make(text: str, stub: Callable[..., Any]) -> Statement[..., Any]:
    return Statement(text, stub)


async def by_day(connection: Connection, day: datetime.date) -> int: ...
async def by_points(connection: Connection, a: Point, b: Point) -> int: ...
async def by_point(connection: Connection, a: Point) -> None: ...
async def names(connection: Connection, day: datetime.date) -> list[str]: ...


@contextmanager
def malformed(reason: str) -> Iterator[None]:
    with pytest.raises(MalformedStatement, match=reason):
        yield


def test_what_text_and_signature_do_not_share_is_found_at_import() -> None:
    with malformed("month is no parameter"):
        make("SELECT :day, :month", by_day)
    with malformed("does not use day"):
        make("SELECT ':day', 1::day -- :day", by_day)
    with malformed("a.x and b.x"):
        make("SELECT :x", by_points)
    with malformed("a.z is no parameter"):
        make("SELECT :a.z", by_point)
    with malformed("name its members"):
        make("SELECT :a", by_point)
    with malformed("returns no rows"):
        make("WITH a AS (SELECT 1) DELETE FROM t WHERE day = :day", names)


def test_quotes_casts_and_comments_hold_no_parameter() -> None:
    made = make("SELECT 'HH:mm', ':x', 1::text /* a */ -- :y\n, :day::date", by_day)
    assert made.sql.endswith("SELECT 'HH:mm', ':x', 1::text /* a */ -- :y\n, $1::date")
