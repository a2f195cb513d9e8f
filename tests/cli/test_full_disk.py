"""If the disk of the data folder is full, `balcao serve` prints one sentence, no matter which write fails."""

from pathlib import Path

import pytest

from tests.support.server import free_port
from tests.support.small_disks import disk
from tests.support.terminal import Terminal, open_folder

pytestmark = [pytest.mark.mounts, pytest.mark.long]


@pytest.fixture
def folder() -> Path:
    found = open_folder()
    (found / "data").mkdir()
    return found


@pytest.mark.parametrize(
    "megabytes",
    [
        pytest.param(10, id="of a new database"),
        pytest.param(45, id="of its first start"),
        pytest.param(70, id="of the migrations"),
    ],
)
def test_a_disk_without_the_room_is_named_with_its_folder(folder: Path, megabytes: int) -> None:
    with disk(folder / "data", megabytes) as data:
        said = Terminal(folder, data_dir=data, port=free_port()).refusal("serve").splitlines()
    assert [line.startswith("O disco está cheio") and str(data) in line for line in said] == [True]
