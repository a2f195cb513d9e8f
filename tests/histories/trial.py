"""One run: clients and a nemesis on a separate platform, and the checker's verdict on their history."""

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest

from balcao.settings import Settings
from tests.histories.agent import VersionsOfAgents
from tests.histories.declared import DeclaredFields
from tests.histories.driver import DriversOfVehicles
from tests.histories.file import FilesOfCitizens
from tests.histories.holiday import NamesOfHolidays
from tests.histories.job import ApplicationsToJobs
from tests.histories.membership import MembersOfGroups
from tests.histories.migration import SchemaOfServices
from tests.histories.notification import NotificationsOfUnits
from tests.histories.own import OwnData
from tests.histories.phone import NumbersOfPhones
from tests.histories.preferences import PreferencesOfCitizens
from tests.histories.published import PublishedServices
from tests.histories.recorder import Operation, Recorder, Resource
from tests.histories.repeat import RepeatedCreations
from tests.histories.request import RequestsOfCitizens
from tests.histories.rights import RightsOfPeople
from tests.histories.service import AddressesOfServices
from tests.histories.sessions import SessionsOfPeople
from tests.support.faulty_platform import FaultyPlatform
from tests.support.server import free_port
from tests.support.terminal import open_folder, remove

RESOURCES: tuple[Callable[[range], Resource], ...] = (
    PreferencesOfCitizens,
    DeclaredFields,
    OwnData,
    NumbersOfPhones,
    DriversOfVehicles,
    RepeatedCreations,
    RequestsOfCitizens,
    FilesOfCitizens,
    MembersOfGroups,
    RightsOfPeople,
    NotificationsOfUnits,
    NamesOfHolidays,
    ApplicationsToJobs,
    VersionsOfAgents,
    AddressesOfServices,
    PublishedServices,
    SchemaOfServices,
    SessionsOfPeople,
)
# The rules of these resources apply only after a delay of some seconds, so only the invariants judge them.
BY_INVARIANTS = ("rights", "session", "holiday", "published")


class Verdict(msgspec.Struct):
    """The checker's verdict on the operations of one resource.

    For an anomaly, `after` is the number of operations on `key` up to the first impossible response. `shortest` is a
    minimal set of operations whose responses cannot all be true, regardless of the other operations. If any one of them
    is removed, the others are possible.
    """

    resource: str
    keys: int
    operations: int
    unknown: int
    verdict: str
    key: str = ""
    after: int = 0
    shortest: list[Operation] = []


def all_resources(keys: range) -> list[Resource]:
    """Return every resource, with a key for each number in `keys`."""
    return [resource(keys) for resource in RESOURCES]


@contextmanager
def platform() -> Iterator[tuple[Settings, FaultyPlatform]]:
    """Start a platform in a new folder."""
    folder = open_folder()
    settings = Settings(data_dir=folder, port=free_port())
    try:
        with FaultyPlatform(settings) as started:
            yield settings, started
    finally:
        remove(folder)


def record(
    settings: Settings,
    history: Path,
    resources: Sequence[Resource],
    clients: int,
    seed: int,
    nemesis: Callable[[Recorder], Awaitable[None]],
    transport: httpx.AsyncBaseTransport | None = None,
) -> None:
    """Run the clients until the nemesis has finished, and write their history.

    The clients connect to the platform through `transport`.
    """

    async def work() -> None:
        recorder = Recorder(settings, history, transport)
        try:
            await recorder.run(resources, clients, seed, lambda: nemesis(recorder))
        finally:
            await recorder.close()

    asyncio.run(work())


def judge(history: Path) -> list[Verdict]:
    """Let the checker judge the history. Leave out the resources that only invariants judge."""
    left_out = [f'"resource":"{resource}"'.encode() for resource in BY_INVARIANTS]
    lines = [
        line for line in history.read_bytes().splitlines(keepends=True) if not any(word in line for word in left_out)
    ]
    said = subprocess.run([checker()], input=b"".join(lines), stdout=subprocess.PIPE, check=True).stdout
    return [msgspec.json.decode(line, type=Verdict) for line in said.splitlines()]


def checker() -> str:
    """Return the path of the checker. If it is missing, fail the test and say how to build it."""
    return os.environ.get("BALCAO_HISTORIES") or pytest.fail(
        "Este teste precisa do que julga histórias, feito em Go: ponha o caminho em BALCAO_HISTORIES "
        '(`tools/histories` o mostra), ou deixe-o de fora com -m "not histories".',
        pytrace=False,
    )
