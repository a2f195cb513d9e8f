"""Old base backups and WAL files are deleted, except for the files that the oldest retained backup needs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from balcao.operate.postgresql import backups
from balcao.operate.postgresql.accounts import PostgresqlError
from tests.support.proof_sizes import size

ALWAYS = "00000002.history"


def lay_out(folder: Path, starts: list[int], segments: list[int], timeline: int = 1) -> None:
    for day, start in enumerate(starts, 1):
        copy = folder / "base" / f"202601{day:02}T030000Z"
        copy.mkdir(parents=True)
        (copy / "PG_VERSION").write_text("18\n")
        (copy / "backup_manifest").touch()
        (copy / "backup_label").write_text(
            f"START WAL LOCATION: 0/{start:X}000028 (file {name(timeline, start)})\nCHECKPOINT LOCATION: 0/0\n"
        )
    (folder / "wal").mkdir()
    for segment in segments:
        (folder / "wal" / name(timeline, segment)).touch()
    (folder / "wal" / f"{name(timeline, 900)}.partial").touch()
    (folder / "wal" / ALWAYS).touch()


def name(timeline: int, segment: int) -> str:
    return f"{timeline:08X}{0:08X}{segment:08X}"


@examples(max_examples=size(15, 300))
@given(
    starts=st.lists(st.integers(1, 40), min_size=1, max_size=4, unique=True).map(sorted),
    segments=st.lists(st.integers(0, 60), max_size=12, unique=True),
    keep=st.integers(1, 5),
)
def test_what_is_kept_restores_to_any_instant_since_the_oldest_copy(
    tmp_path_factory: pytest.TempPathFactory, starts: list[int], segments: list[int], keep: int
) -> None:
    folder = tmp_path_factory.mktemp("copies")
    lay_out(folder, starts, segments)
    newest = [copy.name for copy in backups.list_backups(folder)][-keep:]
    oldest = starts[-keep:][0]
    deleted = backups.prune_backups(folder, keep)
    assert [copy.name for copy in backups.list_backups(folder)] == newest
    assert {entry.name for entry in (folder / "base").iterdir()} == set(newest)
    kept = {name(1, segment) for segment in segments if segment >= oldest}
    assert {file.name for file in (folder / "wal").iterdir()} == {*kept, f"{name(1, 900)}.partial", ALWAYS}
    assert deleted == (len(starts) - len(newest), len(segments) - len(kept))


def test_nothing_is_deleted_where_the_oldest_copy_does_not_say_where_it_begins(tmp_path: Path) -> None:
    lay_out(tmp_path, [5, 9], [1, 5, 9])
    (tmp_path / "base" / "20260102T030000Z" / "backup_label").write_text("damaged")
    with pytest.raises(PostgresqlError, match="não diz onde começa"):
        backups.prune_backups(tmp_path, 1)
    assert len(backups.list_backups(tmp_path)) == 2
    assert len(list((tmp_path / "wal").iterdir())) == 5


def test_a_copy_without_a_log_beside_it_is_pruned_alone(tmp_path: Path) -> None:
    assert backups.prune_backups(tmp_path, 1) == (0, 0)
    lay_out(tmp_path, [5, 9], [])
    for file in (tmp_path / "wal").iterdir():
        file.unlink()
    (tmp_path / "wal").rmdir()
    assert backups.prune_backups(tmp_path, 1) == (1, 0)
