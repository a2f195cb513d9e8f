"""What tests stand on: a real PostgreSQL, a platform opened on it, and the gateway under the real server."""

import asyncio
import functools
import gc
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Generator, Iterator

import asyncpg
import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck
from hypothesis import settings as examples
from jinja2 import Environment, FileSystemBytecodeCache

from balcao import agent_docs, app
from balcao.core import logs
from balcao.core.access import keys
from balcao.core.context.platform import Platform, assemble
from balcao.core.database import connections, pool
from balcao.core.jobs.worker import Worker
from balcao.settings import Settings
from balcao.web import templating
from tests.support import databases, log_scan, run_folder
from tests.support.issuer import Issuer
from tests.support.leftovers import Leftovers
from tests.support.opening import opened
from tests.support.owner import Owner
from tests.support.patience import PATIENCE
from tests.support.server import NOWHERE, RunningServer
from tests.support.sizes import FULL

# Loading the tests makes a million objects and no garbage; `pytest_collection_finish` enables it again.
gc.disable()

# Reading the certificates of the machine costs each client more than its calls, and nobody here speaks TLS.
ssl.create_default_context = functools.cache(ssl.create_default_context)  # type: ignore[assignment]

# Most of what a server does when it starts, and the same each time.
agent_docs.build_document = functools.cache(agent_docs.build_document)  # type: ignore[attr-defined]

# The HTTP client looks for it at every call; where it is not installed each look goes through all folders of Python.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]

# A request waits two seconds for a connection and three for keys: on a busy machine a test would meet that by chance.
connections.ACQUIRE_SECONDS = PATIENCE
pool.SERVING_SECONDS = PATIENCE
pool.REPLICA_SECONDS = PATIENCE
keys.FETCH_TIMEOUT = httpx.Timeout(PATIENCE)
FETCH_SECONDS, keys.FETCH_SECONDS = keys.FETCH_SECONDS, PATIENCE
# The tests' own provider may be asked for every unknown key, and one address is refused more often than any other would
# be. What the two bound is tested with their real values (tests/core/test_refusals.py).
UNKNOWN_KEY_SECONDS, keys.UNKNOWN_KEY_SECONDS = keys.UNKNOWN_KEY_SECONDS, 0.0
REFUSED_RATE = Settings.model_fields["refused_rate"].default
Settings.model_fields["refused_rate"].default = "1000000/minute"
Settings.model_rebuild(force=True)

# The same examples in every ordinary run, new ones in a proof; how long one takes is never a verdict. Examples share
# their test's fixtures on purpose: each leaves data behind for the next to cope with.
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
    # Compiling the pages' templates is a third of the work of a server that each module starts and looks through once.
    compiled = FileSystemBytecodeCache(str(run_folder.path()))
    cached = functools.partial(Environment, bytecode_cache=compiled)
    pytest.MonkeyPatch().setattr(templating, "Environment", cached)
    # A command configures the log of its process; one that a test runs here would silence what other tests wait for.
    logs.configure = _leave_log_as_it_is
    if controls:
        config.stash[_cluster] = databases.Cluster()


def _leave_log_as_it_is(level: str = "info") -> None:
    """Stand in for `logs.configure` in the processes that run tests."""


def _place(item: pytest.Item) -> tuple[str, int]:
    file, line, _ = item.location
    return file, line or 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a trial the tests come in any order; those without a database go first: most changes are noticed by them."""
    if run_folder.shared():
        items.sort(key=lambda item: ("database_url" in getattr(item, "fixturenames", ()), *_place(item)))


def pytest_collection_finish() -> None:
    """Leave what was loaded out of every later collection of garbage, of which a run needs few: it is a tenth of it."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 50, 100)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell of a failing test where its log is, instead of showing pages of it: what it printed itself stays."""
    report = yield
    report.sections = [section for section in report.sections if not section[0].startswith("Captured log")]
    if report.failed:
        report.sections.append(("Log", f"{log_scan.folder()}, where a run that fails leaves it"))
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Check the privacy invariant over the whole run: checked once, by the process that controls it."""
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


@pytest.fixture(scope="session")
def issuer() -> Iterator[Issuer]:
    running = Issuer()
    yield running
    running.close()


@pytest.fixture(scope="module")
def database_url() -> Iterator[str]:
    """Return a fresh, migrated database of this module's own."""
    name = databases.new_name()
    yield databases.create(name)
    databases.drop(name)


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Return a sandbox whose identity provider is the tests' own. A module overrides this for other settings."""
    return Settings(auth_issuer=issuer.address, data_dir=tmp_path_factory.mktemp("data"), port=NOWHERE)


@pytest.fixture(scope="module")
def server(settings: Settings, database_url: str) -> Iterator[RunningServer]:
    """Return the gateway with all seven services under the real HTTP server."""
    with RunningServer(app.build(settings, database_url)) as running:
        yield running


@pytest.fixture(scope="module")
def http(server: RunningServer) -> Iterator[httpx.Client]:
    """Paths are relative to the gateway."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def drain(settings: Settings, database_url: str) -> Callable[[], None]:
    """Works off every job that waits and is due, in the way the worker does."""

    def run() -> None:
        asyncio.run(_drain(settings, database_url))

    return run


async def _drain(settings: Settings, database_url: str) -> None:
    platform = assemble(settings, database_url)
    async with opened(platform):
        await Worker(platform.database, app.list_jobs(), platform).drain()


@pytest_asyncio.fixture
async def platform(settings: Settings, database_url: str) -> AsyncIterator[Platform]:
    """Return the platform opened in the test's own event loop, for use cases called without HTTP."""
    assembled = assemble(settings, database_url)
    async with app.open_services(assembled):
        yield assembled


@pytest.fixture(scope="module")
def sql(database_url: str) -> Iterator[Callable[..., list[asyncpg.Record]]]:
    """Run one statement as the owner, to look at what is stored or to age a row."""
    owner = Owner(database_url)
    yield owner.run
    owner.close()
