"""The standard declaration of personal data covers one table. A statement exports its rows and `cpf` erases them."""

from datetime import UTC, date, datetime

import msgspec
import pytest

from balcao.core.audit.personal_data import Cleared, ExportMember, OwnRows
from balcao.core.context.platform import Platform
from balcao.core.database import statements
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.core.values.cpf import Cpf

ANA = Cpf.with_stem("111444777")
BIA = Cpf.with_stem("529982247")


class Favourite(msgspec.Struct):
    cnes: str
    since: date


@statement("SELECT cnes, since FROM pg_temp.favourites WHERE cpf = :cpf ORDER BY since")
async def list_favourites(connection: Connection, cpf: Cpf) -> list[Favourite]: ...


FAVOURITES = ExportMember("favoritos", list[Favourite], "Favoritos.", 1, list_favourites)


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> OwnRows:
    monkeypatch.setattr(statements, "STATEMENTS", {})  # remove the product's own statements
    return OwnRows("pg_temp.favourites", member=FAVOURITES)


async def test_own_rows_are_exported_as_listed_and_erased_by_cpf(platform: Platform, declared: OwnRows) -> None:
    async with platform.database.transaction() as connection:
        await connection.execute("CREATE TEMP TABLE favourites (cpf text, cnes text, since date) ON COMMIT DROP")
        await connection.executemany(
            "INSERT INTO favourites VALUES ($1, $2, $3)",
            [(ANA.digits, "9900001", date(2026, 1, 2)), (BIA.digits, "9900001", date(2026, 1, 3))],
        )
        assert await declared.export(connection, ANA) == {"favoritos": [{"cnes": "9900001", "since": "2026-01-02"}]}
        assert declared.erase is not None
        erased = await declared.erase(connection, ANA, datetime.now(UTC))
        left = [(await declared.export(connection, cpf))["favoritos"] for cpf in (ANA, BIA)]
    assert erased == [Cleared("favourites", 1, ["cnes", "since"])]
    assert [len(found) for found in left] == [0, 1]
    assert (declared.name, declared.tables) == ("favourites", ("pg_temp.favourites",))
