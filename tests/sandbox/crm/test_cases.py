"""Cases progress in the sandbox CRM: every case ends, and some ask the citizen a question first."""

from pathlib import Path
from typing import Any

import pytest

from balcao_sandbox.crm.cases import ASKING, DONE, FAREWELL, OPEN, QUESTION, WORKING, find_next
from tests.support.crm import RunningCrm, crm_settings
from tests.support.polling import until_now


@pytest.mark.parametrize(("number", "asks"), [("PA-2026-00000005", True), ("PA-2026-00000006", False)])
def test_every_fifth_case_asks_once_and_all_end(number: str, asks: bool) -> None:
    case: dict[str, Any] = {"CaseNumber": number, "Status": OPEN, "Mensagem__c": None}
    seen = []
    while (step := find_next(case)) is not None:
        status, message = step
        case |= {"Status": status} | ({"Mensagem__c": message} if message else {})
        seen.append(step)
        if status == ASKING:
            assert find_next(case) is None  # the case waits for the citizen
            case["Status"] = WORKING
    assert seen == [(WORKING, None), *([(ASKING, QUESTION)] if asks else []), (DONE, FAREWELL)]


def test_cases_move_by_themselves_and_go_on_after_a_restart(tmp_path: Path) -> None:
    settings = crm_settings(tmp_path, auth_issuer="http://127.0.0.1:1/realms/none")

    def upsert(crm: RunningCrm) -> None:
        crm.upsert("Case", "NumeroPedido__c", "PED-1", PedidoBalcao__c=True, Subcategoria__c="Lâmpada")

    with RunningCrm(settings) as still:
        upsert(still)
        upsert(still)
        (case,) = still.cases()
        assert (case["Status"], case["CaseNumber"][:3]) == (OPEN, "PA-")
    with RunningCrm(settings, case_seconds=0.01) as moving:
        until_now(lambda: moving.cases()[0]["Status"] in {DONE, ASKING})
        assert [case["NumeroPedido__c"] for case in moving.cases()] == ["PED-1"]
        moving.upsert("PassoPedido__c", "Chave__c", "PED-1|2", NumeroPedido__c="PED-1", Estado__c="reopened")
        until_now(lambda: moving.cases()[0]["Status"] == DONE)
