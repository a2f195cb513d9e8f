"""Fixtures for all tests: a real PostgreSQL, a platform that uses it, and the gateway with the real HTTP server."""

import asyncio
import functools
import gc
from collections.abc import AsyncIterator, Callable, Generator, Iterator

import asyncpg
import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck
from hypothesis import settings as examples

from balcao import app
from balcao.core import logs
from balcao.core.context.platform import Platform, assemble
from balcao.core.jobs.worker import Worker
from balcao.settings import Settings
from tests.support import databases, log_scan, run_folder
from tests.support.issuer import Issuer
from tests.support.open_platform import opened
from tests.support.owner_connection import Owner
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import FULL
from tests.support.run_cleanup import Leftovers
from tests.support.server import NOWHERE, UNLIMITED, RunningServer

pytest_plugins = ["tests.support.raised_deadlines"]

# An ordinary run always uses the same examples, and a proof uses new ones. A slow example is not a failure. All
# examples of a test share its fixtures, so each example must cope with the data of earlier ones.
examples.register_profile(
    "balcao",
    derandomize=not FULL,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
examples.load_profile("balcao")

_cluster: pytest.StashKey[databases.Cluster] = pytest.StashKey()
_leftovers: pytest.StashKey[Leftovers] = pytest.StashKey()
_status: pytest.StashKey[int] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    controls = not hasattr(config, "workerinput") and not run_folder.shared()
    if controls:
        config.stash[_leftovers] = Leftovers(run_folder.make())
    logs.configure("info")
    log_scan.start()
    if controls:
        config.stash[_cluster] = databases.Cluster()


def _place(item: pytest.Item) -> tuple[str, int]:
    file, line, _ = item.location
    return file, line or 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests of a shared run: tests without a database first, because they find most faults."""
    if run_folder.shared():
        items.sort(key=lambda item: ("database_url" in getattr(item, "fixturenames", ()), *_place(item)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without garbage collection, which would take a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, which would traverse a million objects again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Replace the captured log of a failing test with the path of its log file. The captured output stays."""
    report = yield
    report.sections = [section for section in report.sections if not section[0].startswith("Captured log")]
    if report.failed:
        report.sections.append(("Log", f"{log_scan.folder()}, where a run that fails leaves it"))
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Scan the logs of the whole run for personal data. Only the controlling process does this, once."""
    if not hasattr(session.config, "workerinput") and (found := log_scan.findings()):
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        assert reporter
        reporter.write_sep("=", "personal data in the logs of this run")
        reporter.write_line("\n".join(found[:50]))
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    session.config.stash[_status] = session.exitstatus


def pytest_unconfigure(config: pytest.Config) -> None:
    if _cluster in config.stash:
        config.stash[_cluster].stop()
    if _leftovers in config.stash:
        config.stash[_leftovers].end(passed=config.stash.get(_status, 1) == pytest.ExitCode.OK)


@pytest.fixture(scope="session", autouse=True)
def _log_of_this_process() -> Iterator[None]:
    """Prevent commands that tests call from changing this process's log settings for all other tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logs, "configure", lambda level="info": None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificate_authorities() -> Iterator[None]:
    """Read the certificate authorities once. Otherwise, each httpx client reads them, which takes 25 ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("httpx._transports.default.create_ssl_context", functools.cache(httpx.create_ssl_context))
        yield


@pytest.fixture(scope="session")
def issuer() -> Iterator[Issuer]:
    running = Issuer()
    yield running
    running.close()


@pytest.fixture(scope="module")
def database_url() -> Iterator[str]:
    """Yield the address of a new, migrated database for this module."""
    name = databases.new_name()
    yield databases.create(name)
    databases.drop(name)


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Return sandbox settings with the tests' own identity provider. A module may override this fixture."""
    return Settings(
        auth_issuer=issuer.address, data_dir=tmp_path_factory.mktemp("data"), port=NOWHERE, refused_rate=UNLIMITED
    )


@pytest.fixture(scope="module")
def server(settings: Settings, database_url: str) -> Iterator[RunningServer]:
    """Yield the gateway with all seven services under the real HTTP server."""
    with RunningServer(app.build_application(settings, database_url)) as running:
        yield running


@pytest.fixture(scope="module")
def http(server: RunningServer) -> Iterator[httpx.Client]:
    """Yield a client whose base URL is the gateway."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def drain(settings: Settings, database_url: str) -> Callable[[], None]:
    """Return a function that runs all due jobs, as the worker does."""

    def run() -> None:
        asyncio.run(_drain(settings, database_url))

    return run


async def _drain(settings: Settings, database_url: str) -> None:
    platform = assemble(settings, database_url)
    async with opened(platform):
        await Worker(platform.database, app.list_job_kinds(), platform).drain()


@pytest_asyncio.fixture
async def platform(settings: Settings, database_url: str) -> AsyncIterator[Platform]:
    """Yield a platform in the test's own event loop, for use cases called without HTTP."""
    assembled = assemble(settings, database_url)
    async with app.open_services(assembled):
        yield assembled


@pytest.fixture(scope="module")
def sql(database_url: str) -> Iterator[Callable[..., list[asyncpg.Record]]]:
    """Yield a function that runs one statement as the owner, for example to read stored data or to age a row."""
    owner = Owner(database_url)
    yield owner.run
    owner.close()
