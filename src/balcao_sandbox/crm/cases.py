"""Advances the cases that the platform opens in the sandbox CRM, as a city's staff would."""

import asyncio

from balcao.core.logs import log
from balcao_sandbox.crm.objects import CASE
from balcao_sandbox.crm.records import Record, Records

# The time between two changes to a case: long enough for reading a page, short enough for watching the change.
CASE_SECONDS = 60.0
OPEN, WORKING, ASKING, DONE = "Aberto", "Em andamento", "Aguardando informação", "Fechado com solução"
QUESTION = "Qual é o ponto de referência mais próximo?"
FAREWELL = "A equipe esteve no local e concluiu o serviço."
_ASKS_EVERY = 5
# The case status for each request state that the platform reports. Other request states do not change it.
_OF_STATES = {
    "in_progress": WORKING,
    "needs_information": ASKING,
    "done": DONE,
    "refused": "Fechado sem solução",
    "reopened": OPEN,
}


class Cases:
    """Changes the status of open cases every `seconds`. If it is None, only tests change it."""

    def __init__(self, records: Records, seconds: float | None) -> None:
        self._records = records
        self._seconds = seconds
        self._running: dict[str, asyncio.Task[None]] = {}

    def resume(self) -> None:
        """Continue to advance the cases that were open before a restart."""
        for case in self._records.find(CASE, "PedidoBalcao__c", True):
            self.progress_later(case)

    def progress_later(self, case: Record) -> None:
        """Start to advance a case that the platform opened, unless this is already happening."""
        if self._seconds is not None and case["PedidoBalcao__c"] and case["Id"] not in self._running:
            task = self._running[case["Id"]] = asyncio.create_task(self._progress(case, self._seconds))
            task.add_done_callback(lambda _: self._running.pop(case["Id"], None))

    def take_step(self, step: Record) -> None:
        """Apply a step that the platform reports for a case, for example an answer or a reopening."""
        for case in self._records.find(CASE, "NumeroPedido__c", step["NumeroPedido__c"]):
            if (status := _OF_STATES.get(step["Estado__c"] or "")) is not None:
                self._records.rewrite(CASE, case, {"Status": status})
                self.progress_later(case)

    def move(self, case: Record, status: str, message: str | None) -> None:
        """Set a case's status, and its message for the citizen."""
        self._records.rewrite(CASE, case, {"Status": status} | ({"Mensagem__c": message} if message else {}))

    async def _progress(self, case: Record, seconds: float) -> None:
        """Advance the case until it is closed or waits for the citizen."""
        while True:
            await asyncio.sleep(seconds)
            step = find_next(case)
            if step is None:
                return
            self.move(case, *step)
            log.info("crm_sandbox.case_moved")

    def stop(self) -> None:
        """Stop advancing cases."""
        for task in [*self._running.values()]:
            task.cancel()


def find_next(case: Record) -> tuple[str, str | None] | None:
    """Return the next status and message for a case. Return None if it is closed or waits for the citizen."""
    if case["Status"] == OPEN:
        return WORKING, None
    if case["Status"] != WORKING:
        return None
    asks = int(case["CaseNumber"][-8:]) % _ASKS_EVERY == 0 and not case["Mensagem__c"]
    return (ASKING, QUESTION) if asks else (DONE, FAREWELL)
