"""Driver links compared with a small model, with invitations, answers and removals in any order."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from tests.registry.mobility.garage import Garage
from tests.support.demo_people import ANA, BRUNO, CARLA
from tests.support.proof_sizes import size

INVITEES = (BRUNO, CARLA)
OPEN = ("pending", "accepted")
Link = tuple[str, str]  # invitee, id


def machine(garage: Garage, sql: Any) -> type[RuleBasedStateMachine]:
    class Links(RuleBasedStateMachine):
        """One of Ana's vehicles. The model is `states`, the state of every link ever created."""

        links: Bundle[Link] = Bundle("links")

        @initialize()
        def register(self) -> None:
            self.vehicle = garage.registered(ANA)["id"]
            self.deleted = False
            self.states: dict[Link, str] = {}

        def teardown(self) -> None:
            if hasattr(self, "vehicle"):
                garage.vehicle(ANA, self.vehicle, "DELETE")

        def open_link(self, cpf: str) -> bool:
            return any(link[0] == cpf and state in OPEN for link, state in self.states.items())

        def drives(self, cpf: str) -> bool:
            return any(link[0] == cpf and state == "accepted" for link, state in self.states.items())

        @rule(target=links, cpf=st.sampled_from(INVITEES))
        def invite(self, cpf: str) -> Any:
            answer = garage.invite(ANA, self.vehicle, cpf)
            wanted = 404 if self.deleted else 409 if self.open_link(cpf) else 201
            assert answer.status_code == wanted
            if wanted != 201:
                return multiple()
            link = (cpf, answer.json()["id"])
            self.states[link] = "pending"
            return link

        @rule(link=links, status=st.sampled_from(["accepted", "rejected"]))
        def answer(self, link: Link, status: str) -> None:
            wanted = 404 if self.deleted else 200 if self.states[link] == "pending" else 400
            assert garage.answer(*link, status).status_code == wanted
            if wanted == 200:
                self.states[link] = status

        @rule(link=links)
        def remove(self, link: Link) -> None:
            wanted = 404 if self.deleted else 204 if self.states[link] in OPEN else 400
            assert garage.unlink(ANA, self.vehicle, link[1]).status_code == wanted
            if wanted == 204:
                self.states[link] = "revoked"

        @rule(link=links, by=st.sampled_from(INVITEES))
        def leave(self, link: Link, by: str) -> None:
            own = link[0] == by and self.states[link] == "accepted" and not self.deleted
            assert garage.unlink(by, self.vehicle, link[1]).status_code == (204 if own else 404)
            if own:
                self.states[link] = "revoked"

        @rule(by=st.sampled_from([ANA, *INVITEES]))
        def delete(self, by: str) -> None:
            wanted = 204 if by == ANA else 403 if self.drives(by) else 404
            assert garage.vehicle(by, self.vehicle, "DELETE").status_code == wanted
            if by == ANA:
                self.deleted = True
                self.states = {link: "revoked" if s in OPEN else s for link, s in self.states.items()}

        @invariant()
        def all_callers_see_what_the_model_says(self) -> None:
            if not hasattr(self, "vehicle"):
                return
            rows = sql("SELECT id, status FROM registry.vehicle_conductor WHERE vehicle_id = $1", self.vehicle)
            assert {str(row["id"]): row["status"] for row in rows} == {link[1]: s for link, s in self.states.items()}
            for cpf in INVITEES:
                pending = {link[1] for link, state in self.states.items() if (link[0], state) == (cpf, "pending")}
                assert self.invited(cpf) == pending
                assert (garage.vehicle(cpf, self.vehicle).status_code == 200) == self.drives(cpf)

        def invited(self, cpf: str) -> set[str]:
            return {one["id"] for one in garage.invitations(cpf) if one["vehicle_id"] == self.vehicle}

    return Links


def test_links_follow_the_table_of_states(garage: Garage, sql: Any) -> None:
    run_state_machine_as_test(
        machine(garage, sql),
        settings=settings(
            max_examples=size(15, 500),
            stateful_step_count=size(12, 40),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
