"""The yardstick in Go of `make bench`, which is built only when somebody measures."""

from pathlib import Path

import asyncpg
import pytest

FILES = sorted(Path(__file__).parents[2].glob("bench/go/yardstick/sql/*.sql"))


@pytest.mark.parametrize("statement", [file.read_text() for file in FILES], ids=[file.stem for file in FILES])
async def test_its_statements_fit_the_tables_of_today(database_url: str, statement: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        await connection.prepare(statement)
    finally:
        await connection.close()
