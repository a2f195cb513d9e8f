"""The states of a request compared with a model. Citizen, staff, CRM and time act in any order."""

import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from balcao.crm.cases import Case
from balcao.registry.requests.lifecycle import store
from balcao.registry.requests.lifecycle.delivery import apply_case
from balcao.settings import Settings
from tests.registry.requests.conftest import Citizen, Staff
from tests.support.fixture_types import Sql
from tests.support.operator_calls import Act, acting
from tests.support.proof_sizes import size

# The table in rules: registry 4.20, repeated here independently of the code.
OPEN = {"received", "sent", "in_progress", "needs_information", "reopened"}
CLOSED = {"done", "refused"}
HANDLED = {"in_progress", "needs_information", "done", "refused"}
CRM = {
    "Aberto": None,
    "Em andamento": "in_progress",
    "Aguardando informação": "needs_information",
    "Fechado com solução": "done",
    "Cancelado": "refused",
    "Na fila": None,
}
MESSAGES = (None, "Mensagem da central.", "Outra mensagem.")
TEXT = {"text": "Texto do cidadão."}
_protocols, _moments = itertools.count(1), itertools.count(1)


def may_staff(state: str, target: str) -> bool:
    return state in OPEN and target in HANDLED and (state != "in_progress" or target != "in_progress")


def machine(citizens: Callable[[], Citizen], admin: Staff, sql: Sql, act: Act) -> type[RuleBasedStateMachine]:
    class Life(RuleBasedStateMachine):
        """One request. The model contains the request's state, its steps, and the CRM's last status and message."""

        @initialize()
        def open(self) -> None:
            self.citizen = citizens()
            made = self.citizen.opened()
            self.number, self.deadline = made["number"], made["deadline"]
            self.protocol = f"PA-2026-{next(_protocols):08}"
            self.state = "received"
            self.steps: list[tuple[str | None, str]] = [("received", "citizen")]
            self.unsent = True
            self.known: tuple[str | None, str | None, str | None] = (None, None, None)
            self.closed_days = 0
            self.rated = False

        def step(self, state: str | None, author: str) -> None:
            self.steps.append((state, author))
            self.unsent = self.unsent or author in {"citizen", "staff"}
            if state is not None:
                self.state, self.closed_days = state, 0

        @rule(wanted_state=st.sampled_from(sorted(OPEN | CLOSED)), text=st.sampled_from([None, "Texto."]))
        def staff_moves(self, wanted_state: str, text: str | None) -> None:
            needs_text = wanted_state in {"needs_information", "refused"} and text is None
            wanted = 400 if needs_text else 200 if may_staff(self.state, wanted_state) else 409
            assert admin.step(self.number, wanted_state, text).status_code == wanted
            if wanted == 200:
                self.step(wanted_state, "staff")

        @rule()
        def staff_writes(self) -> None:
            wanted = 200 if self.state in OPEN else 409
            assert admin.step(self.number, text="Mensagem.").status_code == wanted
            if wanted == 200:
                self.step(None, "staff")

        @rule()
        def citizen_answers(self) -> None:
            wanted = 200 if self.state == "needs_information" else 409
            assert self.citizen.act(self.number, "answer", TEXT).status_code == wanted
            if wanted == 200:
                self.step("in_progress", "citizen")

        @rule()
        def citizen_reopens(self) -> None:
            wanted = 200 if self.state in CLOSED and self.closed_days < 30 else 409
            assert self.citizen.act(self.number, "reopening", TEXT).status_code == wanted
            if wanted == 200:
                self.step("reopened", "citizen")

        @rule()
        def citizen_rates(self) -> None:
            wanted = 200 if self.state in CLOSED and not self.rated else 409
            assert self.citizen.act(self.number, "rating", {"stars": 3}).status_code == wanted
            self.rated = self.rated or wanted == 200

        @rule(days=st.sampled_from([1, 15, 31]))
        def time_passes(self, days: int) -> None:
            sql(
                "UPDATE registry.request SET closed_at = closed_at - $2::interval WHERE number = $1",
                self.number,
                timedelta(days=days),
            )
            self.closed_days += days if self.state in CLOSED else 0

        @rule()
        def worker_sends(self) -> None:
            """Mark the steps as sent, as the worker does after its calls."""
            sql("UPDATE registry.request SET sent_step = last_step WHERE number = $1", self.number)
            self.unsent = False

        @rule(status=st.sampled_from(sorted(CRM)), message=st.sampled_from(MESSAGES), foreign=st.booleans())
        def crm_says(self, status: str, message: str | None, foreign: bool) -> None:
            """Apply the CRM's case for the request or, with `foreign`, a case with another person's CPF."""
            owner = "90000000175" if foreign else self.citizen.cpf
            act(apply, self.number, owner, self.protocol, status, message)
            if foreign or self.unsent or self.known == (self.protocol, status, message):
                return
            protocol, last_status, last_message = self.known
            self.known = (self.protocol, status, message)
            if protocol is None and self.state == "received":
                self.step("sent", "platform")
            self.follow(CRM[status], status != last_status, message is not None and message != last_message)

        def follow(self, target: str | None, is_new: bool, has_text: bool) -> None:
            """Apply the CRM's status and message to the model."""
            may = target is not None and (
                may_staff(self.state, target) or (self.state in CLOSED and target == "in_progress")
            )
            asks_again = target == "needs_information" and has_text
            if may and ((is_new and target != self.state) or asks_again):
                self.step(target, "crm")
            elif has_text and self.state in OPEN:
                self.step(None, "crm")

        @invariant()
        def everybody_sees_the_model(self) -> None:
            if not hasattr(self, "number"):
                return
            read = self.citizen.read(self.number).json()
            assert [(step["state"], step["author"]) for step in read["steps"]] == self.steps
            assert (read["state"], read["closed_at"] is not None) == (self.state, self.state in CLOSED)
            assert read["deadline"] == self.deadline
            assert (read["rating"] is not None, read["protocol"]) == (self.rated, self.known[0])
            assert [step["at"] for step in read["steps"]] == sorted(step["at"] for step in read["steps"])
            (ticket,) = self.citizen.list()["data"]
            assert ticket["total_fechados"] == (1 if self.state in CLOSED else 0)
            assert ticket.get("aguarda_resposta") == (True if self.state == "needs_information" else None)

    return Life


async def apply(call: Any, number: str, owner: str, protocol: str, status: str, message: str | None) -> None:
    """Apply a case to its request, as the poll and the delivery do."""
    changed = f"2026-11-28T10:00:00.{next(_moments):06}Z"
    case = Case("500000000000000001", number, owner, protocol, status, message, changed)
    async with call.platform.database.transaction() as connection:
        row = await store.lock_request(connection, number)
        assert row is not None
        await apply_case(connection, row, case)


def test_a_request_lives_by_the_table_of_states(
    citizens: Callable[[], Citizen], admin: Staff, sql: Sql, settings: Settings, database_url: str
) -> None:
    with acting(settings, database_url, "registry.test_request_states") as act:
        run_state_machine_as_test(
            machine(citizens, admin, sql, act),
            settings=hypothesis_settings(
                max_examples=size(8, 500),
                stateful_step_count=size(20, 50),
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
