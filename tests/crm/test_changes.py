"""CRM changes are read page by page. Their times have a resolution of one second (rules: registry 4.12)."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from balcao.core.jobs.worker import Retry
from balcao.core.values.ids import new_id
from balcao.crm.changes import PAGE, Changed, find_changed
from balcao.crm.client import CrmClient, open_crm_client
from balcao.crm.deadline import Deadline
from balcao.registry.crm.reconciliation.service import find_following
from balcao.registry.crm.reconciliation.store import Cursor
from balcao_sandbox.crm.server import STATE_FILE
from tests.support.crm import RunningCrm, crm_settings

SECOND = "2026-03-04T05:06:07.000+0000"
AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
MANY = 2_000 + 3 * PAGE  # more records than OFFSET may skip in a query


@pytest.fixture(scope="module")
def crm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCrm]:
    """Yield a CRM with thousands of accounts changed in the same second, one account before and one after."""
    settings = crm_settings(tmp_path_factory.mktemp("crm"))
    file = settings.data_dir / STATE_FILE
    with RunningCrm(settings) as running:
        [account] = running.accounts("90000000337")
    write_accounts(file, account)
    with RunningCrm(settings) as running:
        yield running


def write_accounts(file: Path, like: dict[str, object]) -> None:
    """Write the CRM's state file with many accounts. The file is not sorted by id."""
    lines = []
    for number in range(MANY + 2):
        turned = (number * 7919) % (MANY + 2)
        at = {0: "2026-03-04T05:06:06.000+0000", MANY + 1: "2026-03-04T05:06:08.000+0000"}.get(turned, SECOND)
        record = {**like, "Id": f"001{turned:015d}", "CPF__c": new_id(), "LastModifiedDate": at}
        lines.append(json.dumps({"entity": "Account", "record": record}))
    file.write_text("\n".join(lines) + "\n", "utf-8")


async def read_pages(client: CrmClient, since: datetime) -> list[Changed]:
    """Return all accounts of a run, read page by page."""
    place: Cursor | None = Cursor(since, "accounts", since.replace(microsecond=0), "", 0)
    seen: list[Changed] = []
    while place is not None and place.source == "accounts":
        found = await find_changed(client, place.source, place.moment, place.after_id, Deadline.within(20))
        seen += found
        place = find_following(place, found)
    return seen


async def test_records_that_changed_in_one_second_are_neither_lost_nor_repeated(crm: RunningCrm) -> None:
    async with open_crm_client(crm.settings) as client:
        seen = await read_pages(client, AT.replace(second=6))
        assert [one.id for one in seen] == [f"001{number:015d}" for number in range(MANY + 2)]
        # If the start time has a fraction of a second, all records of that second are still found.
        assert len(await read_pages(client, AT.replace(microsecond=900_000))) == MANY + 1


async def test_a_run_never_goes_in_circles_when_the_crm_forgets_what_was_asked(crm: RunningCrm) -> None:
    place = Cursor(AT, "accounts", AT, "001000000000000049", 1)
    page = [Changed(f"001{number:015d}", None, SECOND) for number in range(PAGE)]
    for found in (page, [Changed(one.id, None, "2026-03-04T05:06:06.000+0000") for one in page]):
        with pytest.raises(Retry):
            find_following(place, found)


@pytest.mark.parametrize(
    ("version", "query", "status", "code"),
    [
        ("v60.0", "SELECT Id FROM Account ORDER BY Id ASC LIMIT 50 OFFSET 2001", 400, "NUMBER_OUTSIDE_VALID_RANGE"),
        ("v30.0", "SELECT Id FROM Account LIMIT 1", 410, "UNSUPPORTED_API_VERSION"),
        ("v99.0", "SELECT Id FROM Account LIMIT 1", 404, "NOT_FOUND"),
        ("v60.5", "SELECT Id FROM Account LIMIT 1", 404, "NOT_FOUND"),
    ],
)
def test_the_sandbox_refuses_what_salesforce_refuses(
    crm: RunningCrm, rest: httpx.Client, version: str, query: str, status: int, code: str
) -> None:
    answer = rest.get(f"{crm.settings.crm_url}/services/data/{version}/query", params={"q": query})
    assert (answer.status_code, answer.json()[0]["errorCode"]) == (status, code)


def test_an_address_beyond_sixteen_kilobytes_is_refused(rest: httpx.Client) -> None:
    cpfs = ", ".join(f"'{number:011d}'" for number in range(1_200))
    assert rest.get("/query", params={"q": f"SELECT Id FROM Account WHERE CPF__c IN ({cpfs})"}).status_code == 414


def test_no_more_than_two_thousand_records_come_at_once(rest: httpx.Client) -> None:
    answer = rest.get("/query", params={"q": "SELECT Id FROM Account"}).json()
    assert (len(answer["records"]), answer["done"], answer["totalSize"]) == (2_000, False, MANY + 2)
