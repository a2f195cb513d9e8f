"""Reading a configuration by its id."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao.agents.versions import service
from balcao.agents.versions.schemas import SaveBody
from balcao_sandbox.demo import agents as demo
from tests.support.issuer import Issuer, bearer
from tests.support.rules import read_values

MEMBERS = {
    "config_id", "agent_type", "version", "memory_blocks", "tools", "model_name", "embedding_name", "created_at",
}  # fmt: skip


def path(config_id: str) -> str:
    return f"/agent/api/v1/agent-config/by-id/{config_id}"


@pytest.fixture
def runtime(issuer: Issuer) -> dict[str, str]:
    return bearer(issuer.machine("agentes-runtime"))


@pytest.mark.cases("agents", "4", "10")
def test_the_runtime_reads_exactly_the_eight_members(http: httpx.Client, runtime: Any, loaded: Any) -> None:
    answer = http.get(path(loaded["agent_config_id"]), headers=runtime)
    body = answer.json()
    assert answer.status_code == 200
    assert set(body) == MEMBERS
    assert (body["config_id"], body["agent_type"], body["version"]) == (loaded["agent_config_id"], demo.AGENT, 11)
    assert [block["label"] for block in body["memory_blocks"]] == ["human", "persona"]
    assert body["tools"] == ["google_search", "public_services_grounded_search"]
    assert body["created_at"].endswith("+00:00")
    assert datetime.fromisoformat(body["created_at"]).tzinfo is not None
    assert answer.headers["Cache-Control"] == "private, max-age=31536000, immutable"


@pytest.mark.cases("agents", "3")
def test_staff_with_the_action_read_and_others_do_not_learn_whether_it_exists(
    http: httpx.Client, issuer: Issuer, loaded: Any
) -> None:
    assert http.get(path(loaded["agent_config_id"]), headers=bearer(issuer.admin())).status_code == 200
    for token in (issuer.person("90000000175"), issuer.machine("painel-saude", "sms:read")):
        answers = [
            http.get(path(id), headers=bearer(token)) for id in (loaded["agent_config_id"], str(uuid4()), "a" * 65)
        ]
        assert [answer.status_code for answer in answers] == [403] * 3
        assert len({answer.text for answer in answers}) == 1


@pytest.mark.cases("agents", "5")
@pytest.mark.parametrize("config_id", read_values("agents", "5"))
def test_an_unknown_id_is_not_found_whatever_its_form(http: httpx.Client, runtime: Any, config_id: str) -> None:
    answer = http.get(path(config_id), headers=runtime)
    assert (answer.status_code, answer.headers["Error-Code"]) == (404, "config-not-found")
    assert isinstance(answer.json()["detail"], str)


@pytest.mark.cases("agents", "6")
@pytest.mark.parametrize("config_id", read_values("agents", "6"))
def test_an_id_with_other_characters_or_too_long_is_a_fault_in_the_path(
    http: httpx.Client, runtime: Any, config_id: str
) -> None:
    answer = http.get(path(config_id), headers=runtime)
    assert answer.status_code == 422
    (item,) = answer.json()["detail"]
    assert set(item) == {"loc", "msg", "type"}
    assert item["loc"] == ["path", "config_id"]


def test_a_nul_in_the_path_is_refused(http: httpx.Client, runtime: Any) -> None:
    answer = http.get(path("%00"), headers=runtime)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["path", "config_id"]


@pytest.mark.cases("agents", "7")
def test_a_known_answer_is_not_sent_again_but_the_token_is_checked_first(
    http: httpx.Client, runtime: Any, loaded: Any
) -> None:
    etag = http.get(path(loaded["agent_config_id"]), headers=runtime).headers["ETag"]
    assert not etag.startswith("W/")
    for sent in (etag, f'"x", {etag}', "*"):
        again = http.get(path(loaded["agent_config_id"]), headers=runtime | {"If-None-Match": sent})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    refused = http.get(path(loaded["agent_config_id"]), headers=bearer("a.b.c") | {"If-None-Match": etag})
    assert refused.status_code == 401


@pytest.mark.cases("agents", "8")
def test_superseded_and_hidden_versions_answer_the_same_bytes_as_ever(
    http: httpx.Client, runtime: Any, act: Any
) -> None:
    first = act(service.save_version, SaveBody(agent_type="old", tools=["search"])).version
    before = http.get(path(str(first.config_id)), headers=runtime)
    act(service.save_version, SaveBody(agent_type="old", tools=["other"]))
    superseded = http.get(path(str(first.config_id)), headers=runtime)
    act(service.hide_version, "old", 1, "test")
    hidden = http.get(path(str(first.config_id)), headers=runtime)
    assert before.status_code == 200
    assert before.content == superseded.content == hidden.content
    assert before.headers["ETag"] == hidden.headers["ETag"]


@pytest.mark.cases("agents", "9")
def test_a_version_saved_without_tools_and_model_has_empty_ones(http: httpx.Client, runtime: Any, act: Any) -> None:
    saved = act(service.save_version, SaveBody(agent_type="bare", prompt_content="Oi")).version
    body = http.get(path(str(saved.config_id)), headers=runtime).json()
    assert (body["memory_blocks"], body["tools"], body["model_name"], body["embedding_name"]) == ([], [], "", "")
