"""The states, versions and slugs of services over HTTP, compared with a model (rules: search 4.1-4.3)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule, run_state_machine_as_test

from tests.search.staff import Staff, with_required
from tests.support.proof_sizes import size

NAMES = ["Poda", "Coleta de óleo", "Vacinação", "Ação"]
SUMMARIES = ["Resumo um", "Resumo dois"]
SEARCH = "/search/api/v1"


@dataclass
class Model:
    """The model of one service. `contents` lists the content of each version in order."""

    id: str
    name: str
    summary: str
    slug: str
    status: int = 0
    awaiting: bool = False
    deleted: bool = False
    former: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=lambda: ["create"])
    contents: list[tuple[str, str]] = field(default_factory=list)

    @property
    def tag(self) -> str:
        return f'"v{len(self.kinds)}"'

    def write(self, kind: str, name: str, summary: str, slug: str) -> None:
        if slug != self.slug:
            self.former = [old for old in [*self.former, self.slug] if old != slug]
        self.name, self.summary, self.slug = name, summary, slug
        self.kinds.append(kind)
        self.contents.append((name, summary))

    @property
    def expected_slug(self) -> Callable[[str], str]:
        words = {"Poda": "poda", "Coleta de óleo": "coleta-de-oleo", "Vacinação": "vacinacao", "Ação": "acao"}
        return lambda name: f"{words[name]}-{self.id[:8]}"


def run_machine(staff: Staff, http: httpx.Client) -> None:
    class Life(RuleBasedStateMachine):
        services = Bundle("services")

        @rule(target=services, name=st.sampled_from(NAMES), published=st.booleans())
        def create(self, name: str, published: bool) -> Model:
            made = staff.create(nome_servico=name, resumo=SUMMARIES[0], status=int(published))
            model = Model(made["id"], name, SUMMARIES[0], made["slug"], int(published))
            model.contents.append((name, SUMMARIES[0]))
            assert model.slug == model.expected_slug(name)
            self.check(model)
            return model

        @rule(
            model=services,
            name=st.sampled_from(NAMES),
            summary=st.sampled_from(SUMMARIES),
            status=st.sampled_from([0, 1, ...]),
            awaiting=st.booleans(),
        )
        def update(self, model: Model, name: str, summary: str, status: Any, awaiting: bool) -> None:
            body = with_required(nome_servico=name, resumo=summary, status=status, awaiting_approval=awaiting)
            answer = staff("PUT", f"/services/{model.id}", json=body, headers={"If-Match": model.tag})
            if model.deleted:
                assert answer.status_code == 404
                return
            assert answer.status_code == 200, answer.text
            before, status = model.status, model.status if status is ... else status
            waits = awaiting and status == 0
            same = (model.name, model.summary, model.status, model.awaiting) == (name, summary, status, waits)
            model.status, model.awaiting = status, waits
            if not same:
                kind = "update" if before == status else "publish" if status else "unpublish"
                model.write(kind, name, summary, model.expected_slug(name))
            self.check(model)

        @rule(model=services, publishes=st.booleans())
        def change_state(self, model: Model, publishes: bool) -> None:
            answer = staff("PATCH", f"/services/{model.id}/{'publish' if publishes else 'unpublish'}")
            assert answer.status_code == (404 if model.deleted else 200)
            if not model.deleted and model.status != publishes:
                model.status, model.awaiting = int(publishes), not publishes
                model.write("publish" if publishes else "unpublish", model.name, model.summary, model.slug)
            self.check(model)

        @rule(model=services)
        def delete(self, model: Model) -> None:
            answer = staff("DELETE", f"/services/{model.id}")
            assert answer.status_code == (404 if model.deleted else 204)
            if not model.deleted:
                model.deleted, model.status, model.awaiting = True, 0, False
                model.write("delete", model.name, model.summary, model.slug)
            self.check(model)

        @rule(model=services, choice=st.integers(0, 5))
        def roll_back(self, model: Model, choice: int) -> None:
            number = choice % len(model.kinds) + 1
            answer = staff("POST", f"/services/{model.id}/rollback", json={"to_version": number})
            if number == len(model.kinds):
                assert answer.status_code == 409
                return
            assert answer.status_code == 200, answer.text
            name, summary = model.contents[number - 1]
            model.deleted = False
            model.write("rollback", name, summary, model.expected_slug(name))
            self.check(model)

        @rule(model=services)
        def write_on_a_stale_state(self, model: Model) -> None:
            body = with_required(nome_servico="Outro")
            answer = staff("PUT", f"/services/{model.id}", json=body, headers={"If-Match": '"v0"'})
            assert answer.status_code == (404 if model.deleted else 412)
            self.check(model)

        def check(self, model: Model) -> None:
            """Compare all reads of the service with the model."""
            versions = staff("GET", f"/services/{model.id}/versions", params={"per_page": 100}).json()["versions"]
            assert [one["version_number"] for one in versions] == list(range(len(model.kinds), 0, -1))
            assert [one["change_type"] for one in versions] == model.kinds[::-1]
            whole = staff("GET", f"/services/{model.id}")
            assert whole.status_code == (404 if model.deleted else 200)
            if not model.deleted:
                found = whole.json()
                assert (found["nome_servico"], found["resumo"]) == (model.name, model.summary)
                assert (found["status"], found["awaiting_approval"]) == (model.status, model.awaiting)
                assert (found["slug"], sorted(found["slug_history"])) == (model.slug, sorted(model.former))
            is_public = model.status == 1 and not model.deleted
            assert http.get(f"{SEARCH}/search/{model.id}").status_code == (200 if is_public else 404)
            assert http.get(f"{SEARCH}/services/{model.slug}").status_code == (200 if is_public else 404)
            for former in model.former:
                answer = http.get(f"{SEARCH}/services/{former}")
                assert answer.status_code == (301 if is_public else 404)
                if is_public:
                    assert answer.headers["Location"] == model.slug

    steps = examples(max_examples=size(12, 300), stateful_step_count=size(12, 40))
    run_state_machine_as_test(Life, settings=steps)


def test_services_live_as_the_rules_say(staff: Staff, http: httpx.Client) -> None:
    run_machine(staff, http)


@pytest.mark.cases("search", "23")
async def test_fifty_editors_at_once_leave_fifty_versions_without_a_gap(staff: Staff) -> None:
    service = staff.create()
    bodies = [with_required(nome_servico=service["nome_servico"], resumo=f"Texto {number}") for number in range(50)]
    path = f"/services/{service['id']}"
    answers = await asyncio.gather(*(asyncio.to_thread(staff, "PUT", path, json=body) for body in bodies))
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["version"] for answer in answers) == list(range(2, 52))
    versions = staff("GET", f"{path}/versions", params={"per_page": 100}).json()["versions"]
    assert [one["version_number"] for one in versions] == list(range(51, 0, -1))


@pytest.mark.cases("search", "24")
async def test_of_two_editors_who_read_the_same_state_one_is_refused_and_changes_nothing(staff: Staff) -> None:
    service = staff.create()
    path = f"/services/{service['id']}"

    def write(text: str) -> httpx.Response:
        body = with_required(nome_servico=service["nome_servico"], resumo=text)
        return staff("PUT", path, json=body, headers={"If-Match": '"v1"'})

    answers = await asyncio.gather(*(asyncio.to_thread(write, text) for text in ("um", "dois")))
    written, refused = sorted(answers, key=lambda answer: answer.status_code)
    assert (written.status_code, refused.status_code) == (200, 412)
    assert staff("GET", path).json() == written.json()
