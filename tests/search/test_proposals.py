"""Proposals for changes to published services (rules: search 3.7)."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao.core.values.ids import new_id
from tests.search.freshness import Freshness
from tests.search.staff import ADMIN, EDITOR, Staff, with_required
from tests.search.support import REQUIRED, refusal
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer


@pytest.fixture
def published(staff: Staff) -> dict[str, Any]:
    return staff.publish()


def propose(staff: Staff, service: dict[str, Any], headers: dict[str, str] | None = None, **members: Any) -> Any:
    """Propose a change as an editor. By default, the change is to the summary."""
    body = with_required(**{"nome_servico": service["nome_servico"], "resumo": f"Outro {uuid4().hex}."} | members)
    return staff("POST", f"/services/{service['id']}/proposals", role=EDITOR, json=body, headers=headers or {})


def test_the_public_sees_nothing_of_a_proposal_until_it_is_published(
    staff: Staff, published: dict[str, Any], http: httpx.Client, freshness: Freshness, sql: Sql
) -> None:
    word = f"zelkova{uuid4().hex[:8]}"
    public = f"/search/api/v1/search/{published['id']}"
    before = http.get(public).json()
    made = propose(staff, published, resumo=f"Cuida da {word}.", change_reason="A lei mudou.")
    proposal = made.json()
    assert made.status_code == 201
    assert (proposal["changed_fields"], proposal["awaiting_approval"]) == (["resumo"], True)
    assert made.headers["ETag"] == '"v1-r1"'
    place = f"/services/{published['id']}/proposals/{proposal['id']}"
    assert made.headers["Location"] == f"proposals/{proposal['id']}"

    assert http.get(public).json() == before
    assert http.get("/search/api/v1/search", params={"q": word}).json()["total_count"] == 0
    assert staff("GET", f"/services/{published['id']}/versions").json()["found"] == 1

    answer = staff("POST", f"{place}/publish", headers={"If-Match": '"v1-r1"'})
    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    freshness.wait(sql)
    assert http.get("/search/api/v1/search", params={"q": word}).json()["total_count"] == 1
    newest = staff("GET", f"/services/{published['id']}/versions").json()["versions"][0]
    assert (newest["change_type"], newest["change_reason"]) == ("update", "A lei mudou.")
    assert newest["proposed_by"] == "Pessoa de Teste"
    assert refusal(staff("GET", place)) == (404, "proposal-unknown")


def test_a_proposal_moves_no_editorial_state(staff: Staff, published: dict[str, Any]) -> None:
    made = propose(staff, published, status=0, published_at=1, awaiting_approval=True).json()
    assert made["content"]["published_at"] == published["published_at"]
    answer = staff("POST", f"/services/{published['id']}/proposals/{made['id']}/publish").json()
    assert (answer["status"], answer["published_at"]) == (1, published["published_at"])


def test_only_who_may_publish_publishes_or_sends_back(staff: Staff, published: dict[str, Any]) -> None:
    place = f"/services/{published['id']}/proposals/{propose(staff, published).json()['id']}"
    assert refusal(staff("POST", f"{place}/publish", role=EDITOR)) == (403, "forbidden")
    assert refusal(staff("POST", f"{place}/send-back", role=EDITOR, json={"reason": "Falta."})) == (403, "forbidden")


def test_what_is_sent_back_says_why_and_is_handed_in_again(staff: Staff, published: dict[str, Any]) -> None:
    place = f"/services/{published['id']}/proposals/{propose(staff, published).json()['id']}"
    returned = staff("POST", f"{place}/send-back", json={"reason": "Falta o horário."}).json()
    assert (returned["awaiting_approval"], returned["returned_reason"]) == (False, "Falta o horário.")
    assert returned["returned_by"] == "Pessoa de Teste"
    assert refusal(staff("POST", f"{place}/publish")) == (409, "proposal-not-awaiting")
    assert refusal(staff("POST", f"{place}/send-back", json={"reason": "Outra vez."})) == (409, "proposal-not-awaiting")
    body = with_required(nome_servico=published["nome_servico"], resumo="Das 8h às 17h.", awaiting_approval=True)
    again = staff("PUT", place, role=EDITOR, json=body).json()
    assert (again["revision"], again["awaiting_approval"], again["returned_reason"]) == (3, True, "Falta o horário.")
    assert staff("POST", f"{place}/publish").json()["resumo"] == "Das 8h às 17h."


@pytest.mark.parametrize(
    ("reason", "code"),
    [("Oi", "reason-length"), ("x" * 501, "reason-length"), ("Ligue para 11987654321", "reason-personal")],
)
def test_a_reason_is_short_and_names_nobody(staff: Staff, published: dict[str, Any], reason: str, code: str) -> None:
    place = f"/services/{published['id']}/proposals/{propose(staff, published).json()['id']}"
    assert refusal(staff("POST", f"{place}/send-back", json={"reason": reason})) == (400, code)


def test_nobody_publishes_what_was_saved_while_they_read(staff: Staff, published: dict[str, Any]) -> None:
    place = f"/services/{published['id']}/proposals/{propose(staff, published).json()['id']}"
    read = staff("GET", place).headers["ETag"]
    body = with_required(nome_servico=published["nome_servico"], resumo="Salvo durante a leitura.")
    assert staff("PUT", place, role=EDITOR, json=body, headers={"If-Match": read}).status_code == 200
    assert refusal(staff("POST", f"{place}/publish", headers={"If-Match": read})) == (412, "precondition-failed")


def test_a_proposal_over_an_older_version_is_joined_before_it_is_published(
    staff: Staff, published: dict[str, Any]
) -> None:
    place = f"/services/{published['id']}/proposals/{propose(staff, published, resumo='Proposto.').json()['id']}"
    body = with_required(nome_servico=published["nome_servico"], tempo_atendimento="Na hora")
    assert staff("PUT", f"/services/{published['id']}", json=body).json()["version"] == 2
    assert staff("GET", place).json()["outdated"] is True
    assert refusal(staff("POST", f"{place}/publish")) == (409, "proposal-outdated")
    joined = body | {"resumo": "Proposto."}
    assert refusal(staff("PUT", place, role=EDITOR, json=joined | {"base_version": 1})) == (409, "proposal-outdated")
    saved = staff("PUT", place, role=EDITOR, json=joined | {"base_version": 2}).json()
    assert (saved["base_version"], saved["outdated"], saved["changed_fields"]) == (2, False, ["resumo"])
    whole = staff("POST", f"{place}/publish").json()
    assert (whole["resumo"], whole["tempo_atendimento"]) == ("Proposto.", "Na hora")


def test_only_a_published_service_is_changed_by_proposals(staff: Staff) -> None:
    draft = staff.create()
    assert refusal(propose(staff, draft)) == (409, "service-not-published")
    unknown = {"id": new_id(), "nome_servico": "Nenhum"}
    assert propose(staff, unknown).status_code == 404


def test_a_proposal_that_changes_nothing_is_none(staff: Staff, published: dict[str, Any]) -> None:
    assert refusal(propose(staff, published, resumo=REQUIRED["resumo"])) == (409, "proposal-unchanged")


def test_a_stale_reading_of_the_service_makes_no_proposal(staff: Staff, published: dict[str, Any]) -> None:
    assert refusal(propose(staff, published, {"If-Match": '"v9"'})) == (412, "precondition-failed")
    assert propose(staff, published, {"If-Match": '"v1"'}).status_code == 201


def test_a_repeated_click_makes_one_proposal(staff: Staff, published: dict[str, Any]) -> None:
    key = {"Idempotency-Key": new_id()}
    first, again = (propose(staff, published, key, resumo="Uma vez.") for _ in range(2))
    assert (again.status_code, again.json()) == (201, first.json())
    assert staff("GET", f"/services/{published['id']}/proposals").json()["found"] == 1
    assert refusal(propose(staff, published, key, resumo="Outra.")) == (409, "idempotency-key-reused")


def test_nobody_shuts_colleagues_out_of_a_service(staff: Staff, published: dict[str, Any], sql: Sql) -> None:
    for _ in range(5):
        assert propose(staff, published).status_code == 201
    assert refusal(propose(staff, published)) == (409, "proposals-full")
    sql("UPDATE search.service_proposals SET created_by_sub = 'colleague'")
    assert propose(staff, published).status_code == 201


def test_only_the_author_or_who_may_publish_withdraws(
    staff: Staff, published: dict[str, Any], http: httpx.Client, issuer: Issuer
) -> None:
    place = f"/services/{published['id']}/proposals/{propose(staff, published).json()['id']}"
    other = issuer.person("90000020109", realm_access={"roles": [EDITOR]})
    answer = http.delete(f"/search/api/v1/admin{place}", headers=bearer(other))
    assert refusal(answer) == (403, "forbidden")
    assert staff("DELETE", place, role=EDITOR).status_code == 204
    others = f"/services/{published['id']}/proposals/{propose(staff, published).json()['id']}"
    publisher = issuer.person("90000020109", realm_access={"roles": [ADMIN]})
    assert http.delete(f"/search/api/v1/admin{others}", headers=bearer(publisher)).status_code == 204


def test_the_queue_lists_what_awaits_over_all_services(staff: Staff, published: dict[str, Any], sql: Sql) -> None:
    sql("DELETE FROM search.service_proposals")
    first = propose(staff, published).json()
    propose(staff, staff.publish(), awaiting_approval=False)
    queue = staff("GET", "/proposals", params={"awaiting_approval": "true"}).json()
    assert [entry["id"] for entry in queue["proposals"]] == [first["id"]]
    assert "content" not in queue["proposals"][0]
    assert staff("GET", "/proposals", role=EDITOR).json()["found"] == 2


def test_the_list_of_services_counts_the_queue_of_proposals_by_no_filter(
    staff: Staff, published: dict[str, Any], sql: Sql
) -> None:
    sql("DELETE FROM search.service_proposals")
    propose(staff, published)
    propose(staff, published, awaiting_approval=False)
    propose(staff, staff.publish())
    alone = {"field": "id", "value": published["id"]}
    found = staff("GET", "/services/summaries", params=alone).json()
    assert (found["found"], found["awaiting_proposals"]) == (1, 2)
    none = staff("GET", "/services/summaries", params={"tema_geral": "nenhum\u0001"}, role=EDITOR).json()
    assert (none["found"], none["awaiting_proposals"]) == (0, 2)
    staff("DELETE", f"/services/{published['id']}")
    assert staff("GET", "/services/summaries").json()["awaiting_proposals"] == 1


def test_a_deleted_service_has_no_proposals(staff: Staff, published: dict[str, Any], sql: Sql) -> None:
    sql("DELETE FROM search.service_proposals")
    place = f"/services/{published['id']}/proposals/{propose(staff, published).json()['id']}"
    assert staff("DELETE", f"/services/{published['id']}").status_code == 204
    assert staff("GET", "/proposals").json()["found"] == 0
    assert staff("GET", place).status_code == 404
    assert staff("POST", f"{place}/publish").status_code == 404
