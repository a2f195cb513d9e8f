"""A look-up's statements for one caller and for many callers have the same types in PostgreSQL."""

import asyncpg

from balcao.core.database.lookups import Lookup
from balcao.core.database.statements import STATEMENTS
from tools.statements import load_statements

# Parameters whose type may differ in the statement for many callers: a wider type, or text that the comparison casts.
AMONG_MANY = {"int2": "int8", "int4": "int8", "varchar": "text", "name": "text", "uuid": "text"}


async def test_one_caller_and_many_are_asked_for_the_same_and_told_the_same(database_url: str) -> None:
    lookups = [found for name in load_statements() if isinstance(found := STATEMENTS[name], Lookup)]
    assert len(lookups) > 50
    connection = await asyncpg.connect(database_url)
    try:
        differing = {}
        for each in lookups:
            one, many = await connection.prepare(each.sql), await connection.prepare(each.shared_sql)
            pairs = [
                (a.name, b.name.removesuffix("[]"))
                for a, b in zip(one.get_parameters(), many.get_parameters(), strict=True)
            ]
            others = [(a, b) for a, b in pairs if b not in (a, AMONG_MANY.get(a))]
            told = [(column.name, column.type.name) for column in one.get_attributes()]
            told_to_many = [(column.name, column.type.name) for column in many.get_attributes()]
            if others or told_to_many != [("caller", "int8"), *told]:
                differing[each.name] = (others, told, told_to_many)
        assert not differing
    finally:
        await connection.close()
