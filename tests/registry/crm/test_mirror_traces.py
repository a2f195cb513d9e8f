"""The states of an e-mail that are observed in the mirror are possible in the mirror's model (docs/models)."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from balcao.settings import Settings
from tests.models.spin import MODELS
from tests.models.traces import is_behaviour
from tests.registry.conftest import Own
from tests.support import log_scan
from tests.support.crm import RunningCrm
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer, bearer
from tests.support.network import Network
from tests.support.polling import PATIENCE, until_now
from tests.support.server import free_port
from tests.support.terminal import BALCAO, Terminal

pytestmark = [pytest.mark.spin, pytest.mark.long]

MODEL = MODELS / "crm_mirror.pml"
WEBHOOK = "/registry/v1/webhooks/crm/cidadao"
# A trigger records the state after each transaction. If a transaction changes several rows, the last one counts.
RECORD = (
    """
CREATE TABLE registry.trace (
    number int GENERATED ALWAYS AS IDENTITY, transaction xid8 DEFAULT pg_current_xact_id(),
    cpf text, email text, origin text, pushed text, confirmed text, dirty boolean, login_writes boolean, wrote bytea[])
""",
    """
CREATE FUNCTION registry.record_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO registry.trace (cpf, email, origin, pushed, confirmed, dirty, login_writes, wrote)
    SELECT person.cpf, held.value #>> '{}', held.origin, held.pushed_value #>> '{}', held.confirmed_value #>> '{}',
           coalesce(waiting.dirty ? 'email', false), coalesce(login.until > clock_timestamp(), false),
           CASE WHEN login.cpf IS NULL THEN '{}' ELSE login.email_sha256 || login.earlier_sha256 END
    FROM (SELECT coalesce(NEW.cpf, OLD.cpf)) AS person (cpf)
    LEFT JOIN registry.register AS held ON held.cpf = person.cpf AND held.field = 'email'
    LEFT JOIN registry.outbox AS waiting ON waiting.cpf = person.cpf
    LEFT JOIN registry.login_write AS login ON login.cpf = person.cpf;
    RETURN NULL;
END $$
""",
    *(
        f"""
CREATE TRIGGER record_step AFTER INSERT OR UPDATE OR DELETE ON registry.{table}
FOR EACH ROW EXECUTE FUNCTION registry.record_step()
"""
        for table in ("register", "outbox", "login_write")
    ),
)
RECORDED = """
SELECT email, origin, pushed, confirmed, dirty, login_writes, wrote FROM registry.trace AS step
WHERE number = (SELECT max(number) FROM registry.trace WHERE transaction = step.transaction) AND cpf = $1
ORDER BY number
"""
FORGET = ("DROP FUNCTION registry.record_step() CASCADE", "DROP TABLE registry.trace")
FIRST, SECOND, OTHER = "primeiro@x.example", "segundo@x.example", "outro@x.example"
OFFERED = "oferecido@x.example"
EMAILS = {None: "NONE", FIRST: "DECLARED", SECOND: "DECLARED + 1", OTHER: "CHANGED", OFFERED: "OFFERED"}
DIGESTS = {sha256(email.encode()).digest(): name for email, name in EMAILS.items() if email}
BOUNDS = {"DECLARATIONS": 2, "CHANGES": 1, "LOGINS": 0, "KILLS": 0, "LOSSES": 0, "REPETITIONS": 0, "RECONCILIATIONS": 0}
SENT = "SELECT FROM registry.register WHERE cpf = $1 AND pushed_value = to_jsonb($2::text)"
# Another worker takes over the job of a killed worker only after the lease has expired.
END_LEASES_AFTER = "UPDATE queue.pgqueuer SET heartbeat = now() + $1::interval WHERE status = 'picked'"
HOUR = timedelta(hours=1)
SOON, LATER = "2098-01-01T00:00:00Z", "2098-01-02T00:00:00Z"
Event = Callable[[str, str, str], None]
KilledWorker = Callable[[], AbstractContextManager[Callable[[], None]]]


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture
def recorded(sql: Sql, crm: RunningCrm) -> Iterator[Callable[[str], list[str]]]:
    """Yield a function that returns the states of a person's e-mail in order, as conditions on the model's variables.

    Consecutive equal states are returned once.
    """
    for statement in RECORD:
        sql(statement)

    def read(cpf: str) -> list[str]:
        steps = ["email == NONE && !dirty && !login_writes && login_wrote == 0"]
        for row in sql(RECORDED, cpf):
            step = describe(row)
            if step != steps[-1]:
                steps.append(step)
        return steps

    yield read
    for statement in FORGET:
        sql(statement)


def describe(row: Any) -> str:
    wrote = " | ".join(f"(1 << ({DIGESTS[digest]}))" for digest in row["wrote"]) or "0"
    facts = [
        f"email == {EMAILS[row['email']]}",
        "dirty" if row["dirty"] else "!dirty",
        "login_writes" if row["login_writes"] else "!login_writes",
        f"login_wrote == ({wrote})",
    ]
    if row["email"] is None:
        return " && ".join(facts)
    if row["origin"] == "crm":
        return " && ".join([*facts, "!is_own"])
    confirmed = f"confirmed == {EMAILS[row['confirmed']]}"
    return " && ".join([*facts, "is_own", f"pushed == {EMAILS[row['pushed']]}", confirmed])


@pytest.fixture
def event(http: httpx.Client, issuer: Issuer, drain: Drain) -> Event:
    """Return a function that sends an event about an e-mail, with the event's time in the CRM, and applies it."""

    def call(cpf: str, email: str, at: str) -> None:
        body = {"cpf": cpf, "updatedAt": at, "dados": {"email": email}}
        assert http.post(WEBHOOK, json=body, headers=bearer(issuer.machine("crm-sandbox"))).status_code == 202
        drain()

    return call


@pytest.fixture
def network(settings: Settings) -> Iterator[Network]:
    """Yield a network between a worker and the CRM, which a test can disturb."""
    with Network({"crm": ("127.0.0.1", settings.crm_port)}) as made:
        yield made


@pytest.fixture
def killed_worker(settings: Settings, database_url: str, network: Network, tmp_path: Path) -> KilledWorker:
    """Return a context manager that runs a worker, and kills it on request or at the end of the block."""
    terminal = Terminal(
        tmp_path,
        database_url=database_url,
        port=free_port(),
        data_dir=settings.data_dir,
        auth_issuer=settings.auth_issuer,
        crm_url=f"http://127.0.0.1:{network.ports['crm']}",
    )

    @contextmanager
    def run() -> Iterator[Callable[[], None]]:
        with (log_scan.folder() / "mirror-worker.log").open("ab") as log:
            process = subprocess.Popen([str(BALCAO), "worker"], env=terminal.environment, stdout=log, stderr=log)

        def kill() -> None:
            process.kill()
            process.wait(PATIENCE)

        try:
            yield kill
        finally:
            kill()

    return run


@contextmanager
def unwritable(sql: Sql, table: str) -> Iterator[None]:
    """Block every write to the table within the block."""
    sql("BEGIN")
    try:
        sql(f"LOCK TABLE {table} IN SHARE MODE")
        yield
    finally:
        sql("ROLLBACK")


def can_be(folder: Path, steps: list[str], **others: int) -> bool:
    bounds = BOUNDS | others
    return is_behaviour(folder, MODEL, steps, *(f"-D{name}={value}" for name, value in bounds.items()))


def test_a_word_that_is_replaced_sent_confirmed_and_changed_by_people_of_the_crm(
    own: Own, send: Callable[..., None], event: Event, recorded: Callable[[str], list[str]], person: str, tmp_path: Path
) -> None:
    own(person, email=FIRST)
    own(person, email=SECOND)
    send()
    event(person, SECOND, SOON)
    event(person, OTHER, LATER)
    steps = recorded(person)
    assert len(steps) == 7, steps
    assert can_be(tmp_path, steps)
    never_sent = [step for step in steps if "!dirty" in step or "pushed == NONE" in step]
    assert len(never_sent) == 6
    assert not can_be(tmp_path, never_sent)


def test_a_word_that_people_of_the_crm_change_before_it_is_sent(
    own: Own, event: Event, recorded: Callable[[str], list[str]], person: str, tmp_path: Path, sql: Sql
) -> None:
    own(person, email=FIRST)
    sql("UPDATE queue.pgqueuer SET execute_after = now() + interval '1 hour' WHERE entrypoint = 'crm_push'")
    event(person, OTHER, LATER)
    steps = recorded(person)
    assert can_be(tmp_path, steps)
    # The model found this bug: the echo of our own write replaced the citizen's value.
    replaced = [step.replace("CHANGED", "DECLARED") for step in steps]
    assert not can_be(tmp_path, replaced)


def test_what_a_login_writes_is_announced_told_back_and_replaced_by_a_word(
    own: Own,
    send: Callable[..., None],
    event: Event,
    http: httpx.Client,
    issuer: Issuer,
    crm: RunningCrm,
    recorded: Callable[[str], list[str]],
    person: str,
    tmp_path: Path,
) -> None:
    crm.insert("Account", CPF__c=person, LastName="Lima", PersonEmail="antigo@x.example")
    token = bearer(issuer.person(person, email=OFFERED))
    assert http.get("/registry/v1/auth/validate", headers=token).status_code == 200
    event(person, OFFERED, SOON)
    own(person, email=FIRST)
    send()
    event(person, FIRST, LATER)
    steps = recorded(person)
    assert len(steps) == 8, steps
    assert can_be(tmp_path, steps, LOGINS=1, CHANGES=0)
    unannounced = [step for step in steps if "&& login_writes" not in step]
    assert len(unannounced) == 7
    assert not can_be(tmp_path, unannounced, LOGINS=1, CHANGES=0)


@pytest.mark.proof
def test_a_word_whose_workers_are_killed_before_and_after_the_crm_has_it(
    own: Own,
    send: Callable[..., None],
    event: Event,
    crm: RunningCrm,
    network: Network,
    killed_worker: KilledWorker,
    recorded: Callable[[str], list[str]],
    person: str,
    sql: Sql,
    tmp_path: Path,
) -> None:
    crm.insert("Account", CPF__c=person, LastName="Lima", PersonEmail="antigo@x.example")
    network.set("crm", "hold")
    own(person, email=FIRST)
    with killed_worker() as kill:
        until_now(lambda: bool(sql(SENT, person, FIRST)))
        own(person, email=SECOND)
        # The confirmation and its audit event share a transaction, so locking the audit table delays the confirmation.
        with unwritable(sql, "platform.audit_event"):
            network.set("crm", "pass")
            until_now(lambda: crm.accounts(person)[0]["PersonEmail"] == FIRST)
            kill()
    network.set("crm", "hold")
    sql(END_LEASES_AFTER, -HOUR)
    with killed_worker():
        until_now(lambda: bool(sql(SENT, person, SECOND)))
    sql(END_LEASES_AFTER, HOUR)
    event(person, FIRST, SOON)
    sql(END_LEASES_AFTER, -HOUR)
    send()
    event(person, SECOND, LATER)
    steps = recorded(person)
    assert len(steps) == 8, steps
    assert can_be(tmp_path, steps, CHANGES=0, KILLS=2)
    # The model found this bug: the echo of a killed worker's call replaced the value that was declared in the meantime.
    replaced = "email == DECLARED && !dirty && !login_writes && login_wrote == (0) && !is_own"
    assert not can_be(tmp_path, [*steps[:5], replaced], CHANGES=0, KILLS=2)
