"""Random sequences of writes, calls and worker steps against a model of the state table (rules: search 4.4, 4.5)."""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from balcao.search.schema_migrations import service as migrations
from balcao.search.schema_migrations import work, work_store
from balcao.search.schema_migrations.schemas import AbortBody, RollbackBody, StartBody
from balcao.search.schema_migrations.work import MigrationWorker
from balcao.search.services import service as services
from tests.search.conftest import EMPTY
from tests.search.stage import Stage
from tests.search.support import body
from tests.search.test_online_migration import LEASE, OVERDUE, WINDOW
from tests.support.proof_sizes import size

WORKERS = ("a", "b")


@dataclass
class Run:
    """The model of a run. `began` is true once its target receives every write."""

    id: str
    status: str
    source: str
    target: str
    began: bool = False
    rolled_back: bool = False


@dataclass
class Model:
    active: str
    services: dict[str, str] = field(default_factory=dict)
    mirror: str | None = None
    runs: list[Run] = field(default_factory=list)

    @property
    def running(self) -> Run | None:
        return next((run for run in self.runs if run.status == "in_progress"), None)

    @property
    def completed(self) -> list[Run]:
        return [run for run in self.runs if run.status == "completed"]

    def may_roll_back(self, run: Run) -> bool:
        return not run.rolled_back and (self.active, self.mirror) == (run.target, run.source)


def machine(stage: Stage) -> type[RuleBasedStateMachine]:
    class Migrations(RuleBasedStateMachine):
        @initialize()
        def begin(self) -> None:
            for statement in EMPTY:
                stage.run(stage.owner.execute(statement))
            self.model = Model(stage.run(stage.owner.fetchval("SELECT physical FROM search.search_collection")))
            self.workers: dict[str, MigrationWorker] = {}
            self.stack = AsyncExitStack()
            self.connections = {name: stage.keep_connection(self.stack) for name in WORKERS}

        def teardown(self) -> None:
            if hasattr(self, "stack"):
                stage.run(self.stack.aclose())

        @rule(name=st.sampled_from(["Poda", "Corte", "Coleta"]))
        def create(self, name: str) -> None:
            made = stage.run(services.create_service(stage.staff, body(nome_servico=name)))
            self.model.services[made.id] = name

        @precondition(lambda self: self.model.services)
        @rule(data=st.data(), name=st.sampled_from(["Outra poda", "Outro corte"]))
        def update(self, data: st.DataObject, name: str) -> None:
            chosen = data.draw(st.sampled_from(sorted(self.model.services)))
            stage.run(services.update_service(stage.staff, chosen, body(nome_servico=name)))
            self.model.services[chosen] = name

        @precondition(lambda self: self.model.services)
        @rule(data=st.data())
        def delete(self, data: st.DataObject) -> None:
            chosen = data.draw(st.sampled_from(sorted(self.model.services)))
            stage.run(services.delete_service(stage.staff, chosen))
            del self.model.services[chosen]

        @rule(version=st.sampled_from(["v1", "v2", "v3"]))
        def start(self, version: str) -> None:
            status, begun = stage.refusal(migrations.start_migration(stage.staff, StartBody(version)))
            assert status == (409 if self.model.running else 200)
            if status == 200:
                assert begun.source_collection == self.model.active
                assert begun.migration_id
                self.model.runs.insert(
                    0, Run(begun.migration_id, "in_progress", begun.source_collection, begun.target_collection)
                )

        @rule(version=st.sampled_from(["v1", "v2", "v3"]))
        def rehearse(self, version: str) -> None:
            status, found = stage.refusal(migrations.start_migration(stage.staff, StartBody(version, dry_run=True)))
            assert status == (409 if self.model.running else 200)
            if status == 200:
                count = len(self.model.services)
                assert (found.dry_run.checked, found.dry_run.failed, found.progress) == (count, 0, 100)

        @precondition(lambda self: self.model.running)
        @rule(name=st.sampled_from(WORKERS))
        def take(self, name: str) -> None:
            """Let a worker take over the run after its lease has expired. The former worker may not know this yet."""
            assert self.model.running
            stage.run(stage.owner.execute(OVERDUE))
            connection = self.connections[name]
            run = stage.run(work_store.claim_run(connection, self.model.running.id, name, LEASE))
            assert run is not None
            self.workers[name] = MigrationWorker(connection, run, LEASE, WINDOW)
            self.holder = name
            self.taken = self.model.running.id

        @precondition(lambda self: self.workers)
        @rule(data=st.data(), times=st.integers(1, 4))
        def work(self, data: st.DataObject, times: int) -> None:
            name = data.draw(st.sampled_from(sorted(self.workers)))
            running = self.model.running
            for _ in range(times):
                going = stage.run(self.workers[name].step())
                has_it = name == self.holder and running is not None and running.id == self.taken
                if running is None or running.status != "in_progress" or not has_it:
                    assert going is False
                    continue
                assert going is True
                self._follow(running)

        @precondition(lambda self: self.model.running)
        @rule(name=st.sampled_from(WORKERS))
        def finish(self, name: str) -> None:
            running = self.model.running
            assert running
            self.take(name)
            while stage.run(self.workers[name].step()):
                self._follow(running)
            assert running.status == "completed"

        def _follow(self, running: Run) -> None:
            """Read how far the run has progressed, and update the model accordingly."""
            status, phase = stage.run(
                stage.owner.fetchrow("SELECT status, phase FROM search.search_migrations WHERE id = $1", running.id)
            )
            assert status in ("in_progress", "completed")
            if phase != "preparing" and not running.began:
                running.began, self.model.mirror = True, running.target
            if status == "completed":
                running.status = status
                self.model.active, self.model.mirror = running.target, running.source

        @rule(named=st.sampled_from(["", "unknown", "0", "1", "2"]))
        def abort(self, named: str) -> None:
            asked = self._name(named)
            if asked is None:
                return
            status, _ = stage.refusal(migrations.abort_migration(stage.staff, AbortBody(asked)))
            running, known = self.model.running, [run.id for run in self.model.runs]
            if asked and asked not in known:
                assert status == 404
            elif running is None or (asked and asked != running.id):
                assert status == 409
            elif status == 409:  # only during the switch
                row = stage.run(
                    stage.owner.fetchrow("SELECT phase FROM search.search_migrations WHERE id = $1", running.id)
                )
                assert row["phase"] == "switching"
            else:
                running.status = "failed"
                if running.began:
                    self.model.mirror = None

        @rule(named=st.sampled_from(["", "unknown", "0", "1", "2"]))
        def roll_back(self, named: str) -> None:
            asked = self._name(named)
            if asked is None:
                return
            status, answered = stage.refusal(migrations.roll_back_migration(stage.staff, RollbackBody(asked)))
            model = self.model
            standing = [run for run in model.completed if not run.rolled_back]
            if model.running:
                assert status == 409
            elif (asked and asked not in [run.id for run in model.runs]) or (not asked and not standing):
                assert status == 404
            else:
                newest = model.completed[0] if model.completed else None
                chosen = standing[0] if not asked else newest if newest and newest.id == asked else None
                assert status == (200 if chosen and model.may_roll_back(chosen) else 409)
                if status == 200:
                    assert chosen
                    chosen.rolled_back = True
                    run_id, shown = answered
                    assert (shown.source_collection, shown.target_collection) == (chosen.target, chosen.source)
                    assert shown.total_documents == len(model.services)
                    model.runs.insert(0, Run(run_id, "rollback", chosen.target, chosen.source))
                    model.active, model.mirror = chosen.source, chosen.target

        @precondition(lambda self: not self.model.running)
        @rule()
        def the_window_ends(self) -> None:
            stage.run(stage.owner.execute("UPDATE search.search_migrations SET rollback_until = now()"))
            stage.run(migrations.tidy_up(stage.platform))
            self.model.mirror = None

        @rule()
        def nothing_is_overdue(self) -> None:
            stage.run(migrations.tidy_up(stage.platform))

        def _name(self, named: str) -> str | None:
            if named in ("", "unknown"):
                return named and "0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"
            place = int(named)
            return self.model.runs[place].id if place < len(self.model.runs) else None

        @invariant()
        def the_collection_is_what_was_acknowledged(self) -> None:
            if not hasattr(self, "model"):
                return
            alias = stage.run(stage.owner.fetchrow("SELECT physical, mirror FROM search.search_collection"))
            assert tuple(alias) == (self.model.active, self.model.mirror)
            rows = stage.run(
                stage.owner.fetch(f"SELECT id::text, doc ->> 'nome_servico' AS name FROM search.{alias['physical']}")
            )
            assert {row["id"]: row["name"] for row in rows} == self.model.services
            if alias["mirror"] and not self.model.running:
                compare = "SELECT differing FROM search.compare_chunk($1, $2, NULL, NULL)"
                assert stage.run(stage.owner.fetchval(compare, *alias)) == []

        @invariant()
        def the_status_is_that_of_the_newest_run(self) -> None:
            if not hasattr(self, "model"):
                return
            shown = stage.run(migrations.read_current_status(stage.staff))
            newest = self.model.runs[0] if self.model.runs else None
            assert (shown.status, shown.is_locked) == (newest.status if newest else "idle", bool(self.model.running))
            assert stage.run(migrations.read_history(stage.staff, 1, 100)).found == len(self.model.runs)
            for run in self.model.completed:
                detail = stage.run(migrations.read_run(stage.staff, run.id))
                possible = run is self.model.completed[0] and not self.model.running and self.model.may_roll_back(run)
                assert detail.rollback_possible == possible

    return Migrations


def test_any_sequence_follows_the_table_of_states(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "FIRST_CHUNK", 1)
    monkeypatch.setattr(work, "LARGEST_CHUNK", 2)
    run_state_machine_as_test(
        machine(stage),
        settings=examples(max_examples=size(15, 300), stateful_step_count=size(25, 60), deadline=None),
    )
