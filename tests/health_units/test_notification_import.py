"""Notifications that are imported in a batch have the same result as notifications imported one by one."""

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4, uuid5

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.health_units import SERVICE
from balcao.settings import Settings
from tests.registry.import_runs import Load, counts, importing, refusals, written
from tests.support.fixture_types import Sql
from tests.support.proof_sizes import size
from tests.support.sent_statements import recorded

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
NAMESPACE = uuid4()
# The units in an example. Each unit exists twice: once for the batch, and once for the import row by row.
UNITS = ("a", "b")
examples = itertools.count()
rows = st.fixed_dictionaries(
    {
        "unit": st.sampled_from([*UNITS, "a", "b", "unknown"]),
        "risco": st.sampled_from(["Verde", "Amarelo", "Vermelho"]),
        "opened": st.integers(0, 3),
        "touched": st.none() | st.integers(0, 2),
        "closed": st.none() | st.integers(0, 2),
        "causa": st.sampled_from([None, "normalizacao", "engano"]),
        "motivo": st.none() | st.just("Confronto nos arredores."),
        "id": st.sampled_from([None, None, None, 1, 2]),
    }
)


@pytest.fixture(scope="module")
def load(settings: Settings, database_url: str) -> Iterator[Load]:
    with importing(settings, database_url, SERVICE) as running:
        yield running


def unit(cnes: str, **members: Any) -> dict[str, Any]:
    return {"cnes": cnes, "nome": "Unidade", "tipo": "CF"} | members


def notification(cnes: str, at: datetime = AT, **members: Any) -> dict[str, Any]:
    return {"cnes": cnes, "risco": "Amarelo", "aberta_em": at.isoformat()} | members


class Side:
    """One of the two imports in an example. It maps its own unit codes and ids to names that both imports share."""

    def __init__(self, example: int, name: str) -> None:
        number = "12".index(name) + 1
        self.codes = {each: f"8{number}{UNITS.index(each)}{example:04}" for each in UNITS} | {"unknown": "8900000"}
        self.ids = {each: uuid5(NAMESPACE, f"{example}:{name}:{each}") for each in (1, 2)}

    def write(self, row: dict[str, Any]) -> dict[str, Any]:
        opened = AT + timedelta(hours=row["opened"])

        def later(hours: int | None) -> str | None:
            return None if hours is None else (opened + timedelta(hours=hours)).isoformat()

        return notification(
            self.codes[row["unit"]],
            opened,
            risco=row["risco"],
            ultima_atualizacao=later(row["touched"]),
            encerrada_em=later(row["closed"]),
            causa=row["causa"] if row["closed"] is not None else None,
            motivo=row["motivo"],
            id=str(self.ids[row["id"]]) if row["id"] else None,
        )

    def read(self, sql: Sql) -> list[Any]:
        """Return all stored data, with the shared names instead of the codes of units and the ids."""
        names: dict[Any, Any] = {code: each for each, code in self.codes.items()}
        names |= {id_: each for each, id_ in self.ids.items()}
        found = sql(
            "SELECT cnes, to_jsonb(n) - 'cnes' - 'id' AS state, id, (SELECT jsonb_agg("
            "  to_jsonb(e) - 'id' - 'notification_id' ORDER BY em)"
            "  FROM health_units.notification_events AS e WHERE notification_id = n.id) AS log, ("
            "  SELECT dados - 'cnes' FROM health_units.change_feed WHERE change_feed.cnes = n.cnes"
            "  ORDER BY sequencia DESC LIMIT 1) AS told"
            " FROM health_units.notifications AS n WHERE cnes = ANY ($1) ORDER BY cnes, aberta_em, encerrada_em",
            list(self.codes.values()),
        )
        return sorted(
            [names[row["cnes"]], str(names.get(UUID(str(row["id"])))), row["state"], row["log"], row["told"]]
            for row in found
        )


@pytest.mark.long
def test_a_batch_does_what_its_rows_do_one_after_the_other(load: Load, sql: Sql, tmp_path: Path) -> None:
    @given(sent=st.lists(rows, min_size=2, max_size=10))
    @settings(max_examples=size(40, 600))
    def check(sent: Sequence[dict[str, Any]]) -> None:
        example = next(examples)
        found = []
        for name, batch in (("1", 0), ("2", 1)):
            side, report = Side(example, name), tmp_path / f"{example}{name}.jsonl"
            load(written(tmp_path / "u.jsonl", [unit(side.codes[each]) for each in UNITS]), "units")
            file = written(tmp_path / "n.jsonl", map(side.write, sent))
            first = counts(load(file, "notifications", batch=batch, report=report)), refusals(report)
            again = counts(load(file, "notifications", batch=batch, report=report)), refusals(report)
            found.append((first, again, side.read(sql)))
        assert found[0] == found[1]

    check()


def test_a_batch_costs_no_statement_a_row_and_its_repetition_one(load: Load, sql: Sql, tmp_path: Path) -> None:
    codes = [f"995{number:04}" for number in range(50)]
    load(written(tmp_path / "u.jsonl", map(unit, codes)), "units")
    end = AT + timedelta(hours=1)
    lines = [notification(cnes, encerrada_em=end.isoformat()) for cnes in codes]
    lines += [notification(cnes, end) for cnes in codes]
    file = written(tmp_path / "n.jsonl", lines)
    (last,) = sql("SELECT last FROM health_units.feed_counter")[0]
    for expected, statements in (((100, 100, 0, 0), 9), ((100, 0, 100, 0), 1)):
        with recorded() as sent:
            assert counts(load(file, "notifications")) == expected
        assert len([text for text in sent.texts if "health_units." in text.partition("*/")[2]]) == statements
    # Each unit has one entry in the change feed, with the unit's final risk.
    told = sql("SELECT cnes, dados FROM health_units.change_feed WHERE sequencia > $1 ORDER BY sequencia", last)
    assert [row["cnes"] for row in told] == codes
    assert all('"Ativo"' in row["dados"] for row in told)


def test_one_that_ends_makes_place_for_the_next_in_the_same_batch(load: Load, sql: Sql, tmp_path: Path) -> None:
    load(written(tmp_path / "u.jsonl", [unit("9960001")]), "units")
    path, end = tmp_path / "n.jsonl", AT + timedelta(hours=1)
    assert counts(load(written(path, [notification("9960001")]), "notifications")) == (1, 1, 0, 0)
    lines = [notification("9960001", encerrada_em=end.isoformat()), notification("9960001", end)]
    assert counts(load(written(path, lines), "notifications")) == (2, 2, 0, 0)
    found = sql("SELECT status FROM health_units.notifications WHERE cnes = '9960001' ORDER BY aberta_em")
    assert [row["status"] for row in found] == ["Encerrado", "Ativo"]


def test_an_instant_before_every_calendar_is_refused(load: Load, tmp_path: Path) -> None:
    load(written(tmp_path / "u.jsonl", [unit("9960002")]), "units")
    lines = [
        {"cnes": "9960002", "risco": "Verde", "aberta_em": "0001-01-01T00:00:00+03:00"},
        notification("9960002"),
    ]
    report = tmp_path / "refused.jsonl"
    assert counts(load(written(tmp_path / "n.jsonl", lines), "notifications", report=report)) == (2, 1, 0, 1)
    assert "`aberta_em`" in refusals(report)[1]


@pytest.mark.parametrize("kind", ["units", "notifications"])
def test_units_are_locked_in_one_order(load: Load, database_url: str, tmp_path: Path, kind: str) -> None:
    """While the import waits for the first unit, it holds no lock on the second, so two imports cannot deadlock."""
    first, second = codes = {"units": ("9970001", "9970002"), "notifications": ("9970003", "9970004")}[kind]
    load(written(tmp_path / "u.jsonl", map(unit, codes)), "units")
    make = {"units": lambda cnes: unit(cnes, nome="Outro"), "notifications": notification}[kind]
    file = written(tmp_path / "n.jsonl", map(make, reversed(codes)))
    lock = "SELECT FROM health_units.units WHERE cnes = $1 FOR NO KEY UPDATE NOWAIT"

    async def race(pool: ThreadPoolExecutor) -> tuple[int, int, int, int]:
        holder, watcher = [await asyncpg.connect(database_url) for _ in range(2)]
        waits = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid)))"
        try:
            async with holder.transaction():
                await holder.execute(lock, first)
                importing = asyncio.get_running_loop().run_in_executor(pool, load, file, kind)
                while not await watcher.fetchval(waits, holder.get_server_pid()):
                    assert not importing.done()
                await holder.execute(lock, second)
            return counts(await importing)
        finally:
            await holder.close()
            await watcher.close()

    with ThreadPoolExecutor(1) as pool:
        assert asyncio.run(race(pool)) == (2, 2, 0, 0)
