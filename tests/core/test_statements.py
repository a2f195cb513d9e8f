"""Statements declared as typed stubs: the names and types determine the SQL, the arguments and the results."""

import datetime
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, NamedTuple
from uuid import UUID

import msgspec
import pydantic
import pytest

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Row
from balcao.core.database.queries import page_sql
from balcao.core.database.results import Json, Paged, PagedWithCounts
from balcao.core.database.statements import STATEMENTS, MalformedStatement, Statement, statement, statements
from balcao.core.values.cnes import Cnes
from balcao.core.values.cpf import Cpf

ANA = Cpf.with_stem("111444777")
BIA = Cpf.with_stem("529982247")


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Pet(msgspec.Struct, frozen=True):
    name: str
    colour: Colour | None = None
    owner: Cpf | None = None
    toys: list[str] = []


@dataclass(frozen=True)
class Point:
    x: int
    y: int

    @property
    def sum(self) -> int:
        return self.x + self.y


class Pair(NamedTuple):
    name: str
    point: Point | None


@statement("SELECT :name AS name, :colour AS colour, :owner AS owner, :toys::jsonb AS toys")
async def echo_pet(connection: Connection, pet: Pet) -> Pet | None: ...


class Span(NamedTuple):
    first: Point
    last: Point

    @classmethod
    def from_row(cls, row: Row) -> "Span":
        return cls(Point(row["a"], row["b"]), Point(row["c"], row["d"]))


@statement("SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d")
async def read_span(connection: Connection) -> Span: ...


@statement("SELECT 'x' AS name WHERE :there")
async def find_pet(connection: Connection, there: bool) -> Pet | None: ...


@statement("SELECT name, colour FROM jsonb_to_recordset(:pets::jsonb) AS pet (name text, colour text) ORDER BY name")
async def echo_pets(connection: Connection, pets: Sequence[Pet]) -> list[Pet]: ...


@statement("SELECT jsonb_build_object('name', 'Rex', 'colour', 'red', 'toys', '[\"ball\"]'::jsonb)")
async def read_document(connection: Connection) -> Json[Pet]: ...


@statement("SELECT :first.x::int + :second.sum::int")
async def add(connection: Connection, first: Point, second: Point) -> int: ...


@statement("SELECT :pair.name::text, :pair.point.x::int, :spare.point.y::int")
async def spread(
    connection: Connection, pair: Pair, spare: Pair | None = None
) -> tuple[str, int | None, int | None]: ...


@statement("SELECT 'both' AS name, jsonb_build_object('x', :x::int, 'y', :y::int) AS point")
async def pair_up(connection: Connection, x: int, y: int = 2) -> Pair: ...


@statement("SELECT digits FROM unnest(:cpfs::text[]) AS digits ORDER BY digits")
async def echo_cpfs(connection: Connection, cpfs: Collection[Cpf]) -> set[Cpf]: ...


@statement("SELECT :cnes::text, :cpf::text, :day::date, :id::uuid, ARRAY['red'], ARRAY['blue', 'red']")
async def echo_values(
    connection: Connection, cnes: Cnes, cpf: Cpf | None, day: datetime.date, id: UUID
) -> tuple[Cnes, Cpf | None, datetime.date, UUID, list[Colour], tuple[Colour, ...]]: ...


@statement("SELECT 'a', 1 UNION ALL SELECT 'b', 2")
async def count_by_name(connection: Connection) -> Mapping[str, int]: ...


@statement("SELECT 'a', 1 AS x, 2 AS y UNION ALL SELECT 'b', 3, 4")
async def read_points_by_name(connection: Connection) -> Mapping[str, Point]: ...


@statement("SELECT name, document FROM jsonb_each(:documents::jsonb) AS each (name, document)")
async def echo_documents(
    connection: Connection, documents: Mapping[str, str | list[str] | None]
) -> Mapping[str, str | list[str] | None]: ...


class Body(pydantic.BaseModel):
    name: Annotated[str, pydantic.Field(max_length=9)]
    toys: list[Annotated[str, pydantic.Field(max_length=9)]] = []
    note: str | None = None


@statement("SELECT :body.name::text AS name, :toys::text[] AS toys, :note::text")
async def echo_body(connection: Connection, body: Body) -> tuple[str, list[str], str | None]: ...


class Owned(NamedTuple):
    pet: Pet
    point: Point | None = None


@statement("""
SELECT place.*, 'Rex' AS name, 'red' AS colour, :owner::text AS owner, ARRAY['ball'] AS toys, true AS more
FROM (VALUES (true)) AS one (has) LEFT JOIN (VALUES (1, 2)) AS place (x, y) ON :is_placed::boolean
""")
async def read_owned(connection: Connection, owner: Cpf, is_placed: bool) -> Owned: ...


@statement("""
SELECT name, owner, sum, documents || points AS documents
FROM unnest(:owned.pet.name::text[], :owned.pet.owner::text[], :owned.point.sum::int[], :documents::jsonb[],
            :points::jsonb[])
    AS row (name, owner, sum, documents, points)
""")
async def echo_columns(
    connection: Connection, owned: Sequence[Owned], documents: Sequence[str], points: Sequence[Point]
) -> list[tuple[str, Cpf | None, int | None, dict[str, int]]]: ...


@statement("SELECT 'a' AS name, 1 AS number")
async def read_members(connection: Connection) -> dict[str, Any]: ...


@statement("SELECT 1 AS number")
async def read_row(connection: Connection) -> Row: ...


@statement(page_sql("SELECT x, x * 2 AS y FROM generate_series(1, 5) AS x LIMIT :limit OFFSET :skip", "SELECT 5"))
async def list_points(connection: Connection, *, limit: int, skip: int = 0) -> Paged[Point]: ...


@statement(page_sql("SELECT jsonb_build_object('x', x, 'y', 1) FROM generate_series(1, 2) AS x", "SELECT 2"))
async def list_documents(connection: Connection) -> Paged[Json[Point]]: ...


@statement(page_sql("SELECT 1 AS x, 2 AS y WHERE :there", "SELECT jsonb_build_object('x', 3, 'y', 4)"))
async def count_points(connection: Connection, there: bool) -> PagedWithCounts[Point, Point]: ...


@statement(page_sql("SELECT 'a', x FROM generate_series(1, 2) AS x", "SELECT 2"))
async def list_tuples(connection: Connection) -> Paged[tuple[str, int]]: ...


TYPES = {Colour.RED: Pet, Colour.BLUE: Point}


@statements(
    {Colour.RED: "SELECT :of.name AS name", Colour.BLUE: "SELECT :x::int AS x, :of.sum::int AS y"},
    lambda colour: {"of": TYPES[colour], "return": TYPES[colour]},
)
async def echo_by_colour(connection: Connection, colour: Colour, of: Any) -> Any: ...


@statement("CREATE TEMPORARY TABLE IF NOT EXISTS noted (name text UNIQUE)")
async def create_table(connection: Connection) -> None: ...


@statement("INSERT INTO noted SELECT unnest(:names::text[]) ON CONFLICT DO NOTHING")
async def note_all(connection: Connection, names: frozenset[str]) -> int: ...


@statement("DELETE FROM noted WHERE name = :name")
async def forget(connection: Connection, name: str) -> bool: ...


@statement("INSERT INTO noted VALUES (:name) ON CONFLICT DO NOTHING RETURNING true")
async def note(connection: Connection, name: str) -> bool: ...


class Noted(NamedTuple):
    name: str
    before: Json[Any]
    after: Json[Any]


@statement("SELECT 'a' AS name, '{\"x\": [1]}'::jsonb AS before, NULL::jsonb AS after")
async def read_noted(connection: Connection) -> Noted: ...


@statement("SELECT '7'::jsonb UNION ALL SELECT NULL")
async def list_anything(connection: Connection) -> list[Json[Any]]: ...


async def test_json_of_any_kind_is_read_as_what_it_is(platform: Platform) -> None:
    async with platform.database.connection() as connection:
        assert await read_noted(connection) == Noted("a", {"x": [1]}, None)
        assert await list_anything(connection) == [7, None]


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


async def test_members_of_members_follow_after_a_dot(platform: Platform) -> None:
    async with platform.database.connection() as connection:
        assert await spread(connection, Pair("a", Point(1, 2)), Pair("b", Point(3, 4))) == ("a", 1, 4)
        assert await spread(connection, Pair("a", None)) == ("a", None, None)


async def test_numbers_of_people_and_units_are_stored_as_digits(platform: Platform) -> None:
    day, id_ = datetime.date(2030, 1, 2), UUID(int=7)
    async with platform.database.connection() as connection:
        assert await echo_cpfs(connection, {ANA, BIA}) == {ANA, BIA}
        found = await echo_values(connection, Cnes("0000007"), None, day, id_)
        assert found == (Cnes("0000007"), None, day, id_, [Colour.RED], (Colour.BLUE, Colour.RED))
        assert (await echo_values(connection, Cnes("0000007"), BIA, day, id_))[1] == BIA


async def test_rows_are_read_by_what_is_returned(platform: Platform) -> None:
    async with platform.database.connection() as connection:
        assert await count_by_name(connection) == {"a": 1, "b": 2}
        assert await read_members(connection) == {"name": "a", "number": 1}
        assert (await read_row(connection))["number"] == 1
        assert await read_span(connection) == (Point(1, 2), Point(3, 4))
        for is_placed, point in ((True, Point(1, 2)), (False, None)):
            owned = await read_owned(connection, ANA, is_placed=is_placed)
            assert owned == (Pet("Rex", Colour.RED, ANA, ["ball"]), point)
        assert await list_points(connection, limit=2, skip=2) == ([Point(3, 6), Point(4, 8)], 5)
        assert await list_points(connection, limit=2, skip=9) == ([], 5)
        assert await list_documents(connection) == ([Point(1, 1), Point(2, 1)], 2)
        assert await list_tuples(connection) == ([("a", 1), ("a", 2)], 2)
        assert await count_points(connection, True) == ([Point(1, 2)], Point(3, 4))
        assert await count_points(connection, False) == ([], Point(3, 4))


async def test_a_function_in_several_texts_runs_the_one_of_its_key(platform: Platform) -> None:
    async with platform.database.connection() as connection:
        assert await echo_by_colour(connection, Colour.RED, Pet("Rex")) == Pet("Rex")
        assert await echo_by_colour(connection, Colour.BLUE, of=Point(1, 2)) == Point(1, 3)
    blue = echo_by_colour.of[Colour.BLUE]
    assert blue.name == "tests.core.test_statements.echo_by_colour.blue"
    assert STATEMENTS[blue.name] is blue
    with malformed("month is no parameter"):
        statements({Colour.RED: "SELECT :month"})(by_colour)
    with malformed("does not use day"):
        statements({Colour.RED: "SELECT 1"})(by_colour)


async def test_a_mapping_has_rows_by_their_first_column(platform: Platform) -> None:
    documents = {"text": "a", "list": ["a", "b"], "nothing": None}
    async with platform.database.connection() as connection:
        assert await read_points_by_name(connection) == {"a": Point(1, 2), "b": Point(3, 4)}
        assert await echo_documents(connection, documents) == documents


async def test_a_model_goes_out_by_its_members(platform: Platform) -> None:
    async with platform.database.connection() as connection:
        assert await echo_body(connection, Body(name="Rex", toys=["ball"])) == ("Rex", ["ball"], None)


async def test_members_of_a_sequence_are_columns(platform: Platform) -> None:
    owned = [Owned(Pet("Rex", owner=ANA), Point(1, 2)), Owned(Pet("Bia"))]
    async with platform.database.connection() as connection:
        rows = await echo_columns(connection, owned, ['{"z": 0}', '{"z": 1}'], (Point(5, 6), Point(7, 8)))
        assert rows == [("Rex", ANA, 3, {"x": 5, "y": 6, "z": 0}), ("Bia", None, None, {"x": 7, "y": 8, "z": 1})]
        assert await echo_columns(connection, [], [], []) == []


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
    assert forget.sql.startswith(f"DELETE /* {forget.name} */ FROM")
    assert STATEMENTS[forget.name] is forget
    assert echo_pet.parameters == ["name", "colour", "owner", "toys::jsonb"]


def make(text: str, stub: Callable[..., Any]) -> Statement[..., Any]:
    return Statement(text, stub)


async def by_day(connection: Connection, day: datetime.date) -> int: ...
async def by_colour(connection: Connection, colour: Colour, day: datetime.date) -> int: ...
async def by_points(connection: Connection, a: Point, b: Point) -> int: ...
async def by_point(connection: Connection, a: Point) -> None: ...
async def by_list(connection: Connection, points: Sequence[Point]) -> None: ...
async def by_pair(connection: Connection, pair: Pair) -> None: ...
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
    with malformed("points.z is no parameter"):
        make("SELECT :points.z", by_list)
    with malformed("x is no parameter"):
        make("SELECT :points.x, :x", by_list)
    with malformed("pair.point.z is no parameter"):
        make("SELECT :pair.point.z", by_pair)
    with malformed("begins with no word"):
        make("-- Why.\nSELECT :day", by_day)
    with malformed("name its members"):
        make("SELECT :a", by_point)
    with malformed("returns no rows"):
        make("WITH a AS (SELECT 1) DELETE FROM t WHERE day = :day", names)


def test_quotes_casts_and_comments_hold_no_parameter() -> None:
    made = make("SELECT 'HH:mm', ':x', 1::text /* a */ -- :y\n, :day::date", by_day)
    assert made.sql.endswith(" 'HH:mm', ':x', 1::text /* a */ -- :y\n, $1::date")
