"""Agent versions over HTTP, for each kind of caller (rules: agents 2.2)."""

import concurrent.futures
import itertools
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from balcao_sandbox.demo import agents as demo
from tests.support.issuer import Issuer, bearer
from tests.support.proof_sizes import size
from tests.support.rules import read_values

BASE = "/agent/api/v1"
READS = [
    "agent-config", "agent-config/history", "system-prompt", "system-prompt/history", "system-prompt/agent-types",
    "unified-history", "unified-history/version/1", "agent-config/compare?from_version=1&to_version=2",
    "system-prompt/by-id/abc",
]  # fmt: skip
MOVES = [
    ("POST", "agent-config/activate", {"agent_type": demo.AGENT, "version": 1, "reason": "x"}),
    ("POST", "agent-config/rollback", {"agent_type": demo.AGENT, "reason": "x"}),
    ("DELETE", f"unified-reset?agent_type={demo.AGENT}", None),
    ("DELETE", f"agent-config/reset?agent_type={demo.AGENT}", None),
    ("DELETE", f"system-prompt/reset?agent_type={demo.AGENT}", None),
    ("DELETE", f"system-prompt/last?agent_type={demo.AGENT}", None),
]
_names = (f"http-{number}" for number in itertools.count(1))

Send = Callable[..., httpx.Response]

pytestmark = pytest.mark.usefixtures("loaded")


@pytest.fixture
def agent() -> str:
    return next(_names)


@pytest.fixture
def send(http: httpx.Client, issuer: Issuer) -> Send:
    """Return a function that calls as an administrator of the agents, unless the test gives other headers."""
    admin = staff(issuer, "agentes:admin")

    def send(method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> httpx.Response:
        return http.request(method, f"{BASE}/{path}", json=body, headers=admin | (headers or {}))

    return send


def staff(issuer: Issuer, role: str) -> dict[str, str]:
    return bearer(issuer.person("90000020605", name="Tereza Lins", realm_access={"roles": [role]}))


def refusal(answer: httpx.Response) -> tuple[int, str]:
    """Return a refusal's HTTP status and error code."""
    return answer.status_code, answer.headers["Error-Code"]


def save(send: Send, agent: str, **content: Any) -> dict[str, Any]:
    answer = send("POST", "unified-save", {"agent_type": agent, "prompt_content": "Oi"} | content)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.parametrize("path", READS)
def test_readers_and_the_agents_themselves_read_and_nobody_else(http: httpx.Client, issuer: Issuer, path: str) -> None:
    for headers in (staff(issuer, "agentes:leitor"), bearer(issuer.machine("agentes-runtime"))):
        answer = http.get(f"{BASE}/{path}", headers=headers)
        if path.endswith("abc"):
            assert refusal(answer) == (404, "prompt-not-found")
        else:
            assert answer.status_code == 200
    for headers in (bearer(issuer.person("90000000175")), bearer(issuer.machine("painel-saude", "sms:read"))):
        assert http.get(f"{BASE}/{path}", headers=headers).status_code == 403
    assert http.get(f"{BASE}/{path}").status_code == 401


@pytest.mark.parametrize(("method", "path", "body"), MOVES)
def test_only_administrators_move_the_pointer(
    http: httpx.Client, issuer: Issuer, method: str, path: str, body: Any
) -> None:
    for headers, status in (
        ({}, 401),
        (staff(issuer, "agentes:editor"), 403),
        (bearer(issuer.machine("agentes-runtime")), 403),
        (bearer(issuer.person("90000000175")), 403),
    ):
        answer = http.request(method, f"{BASE}/{path}", json=body, headers=headers)
        assert (answer.status_code, type(answer.json()["detail"])) == (status, str)


@pytest.mark.cases("agents", "20")
def test_an_editor_saves_without_activating(send: Send, issuer: Issuer, agent: str) -> None:
    editor = staff(issuer, "agentes:editor")
    body = {"agent_type": agent, "prompt_content": "Oi"}
    assert send("POST", "unified-save", body, editor).status_code == 403
    assert send("GET", f"unified-history?agent_type={agent}").json()["items"] == []
    saved = send("POST", "unified-save", body | {"activate": False}, editor).json()
    assert (saved["unified_version_number"], saved["message"]) == (1, "Versão 1 salva, sem ser ativada.")
    assert refusal(send("GET", f"agent-config?agent_type={agent}")) == (404, "agent-not-found")
    (item,) = send("GET", f"unified-history?agent_type={agent}").json()["items"]
    assert not item["is_active"]


@pytest.mark.cases("agents", "11")
def test_an_unknown_agent_is_not_found_and_reading_it_makes_none(send: Send, agent: str) -> None:
    for path in ("agent-config", "system-prompt"):
        assert refusal(send("GET", f"{path}?agent_type={agent}")) == (404, "agent-not-found")
    assert refusal(send("GET", f"unified-history/version/1?agent_type={agent}")) == (404, "version-not-found")
    for path, body in (("activate", {"version": 1}), ("rollback", {})):
        moved = send("POST", f"agent-config/{path}", {"agent_type": agent, "reason": "x"} | body)
        assert refusal(moved) == (404, "agent-not-found")
    assert refusal(send("DELETE", f"unified-delete?agent_type={agent}&version_number=1")) == (404, "agent-not-found")
    assert send("GET", f"agent-config/history?agent_type={agent}").json() == {
        "agent_type": agent, "configs": [], "next_before": None,
    }  # fmt: skip
    assert send("GET", f"system-prompt/history?agent_type={agent}").json()["prompts"] == []
    assert send("GET", f"unified-history?agent_type={agent}").json()["total_items"] == 0
    assert agent not in send("GET", "system-prompt/agent-types").json()


@pytest.mark.cases("agents", "15")
def test_a_saved_version_is_read_everywhere(send: Send, agent: str) -> None:
    text = "<b>Olá</b> " + "á" * 200
    saved = save(send, agent, prompt_content=text, clickup_cards=[{"label": "a", "value": "b", "cor": 1}], tools=["x"])
    assert saved | {"prompt_id": "", "config_id": "", "version_display": ""} == {
        "success": True, "unified_version_number": 1, "version_display": "", "change_type": "both", "prompt_id": "",
        "config_id": "", "agents_updated": {}, "message": "Versão 1 salva e ativada.",
    }  # fmt: skip
    config = send("GET", f"agent-config?agent_type={agent}").json()
    assert config == send("GET", f"agent-config/by-id/{saved['config_id']}").json()
    assert (config["memory_blocks"], config["tools"]) == ([{"label": "a", "value": "b", "cor": 1}], ["x"])
    prompt = send("GET", f"system-prompt?agent_type={agent}").json()
    assert prompt == send("GET", f"system-prompt/by-id/{saved['prompt_id']}").json()
    assert (set(prompt), prompt["prompt"]) == ({"prompt", "agent_type", "version", "prompt_id", "created_at"}, text)
    (listed,) = send("GET", f"system-prompt/history?agent_type={agent}").json()["prompts"]
    assert (listed["content"], listed["is_active"]) == (text[:100], True)
    detail = send("GET", f"unified-history/version/1?agent_type={agent}").json()
    assert detail["prompt"] == {"prompt_id": saved["prompt_id"], "content_preview": text[:100], "content": text}
    assert detail["version_display"] == saved["version_display"]
    assert (detail["author"], detail["metadata"]) == ("Tereza Lins", {"version_display": saved["version_display"]})
    assert agent in send("GET", "system-prompt/agent-types").json()


@pytest.mark.cases("agents", "12")
def test_the_short_forms_inherit_the_other_half(send: Send, agent: str) -> None:
    save(send, agent, model_name="m")
    config = send("POST", "agent-config", {"agent_type": agent, "tools": ["t"]}).json()
    assert set(config) == {"success", "config_id", "agents_updated", "message"}
    prompt = send("POST", "system-prompt", {"agent_type": agent, "new_prompt": "Olá"}).json()
    assert set(prompt) == {"success", "prompt_id", "agents_updated", "message", "version"}
    newest, *_ = send("GET", f"unified-history?agent_type={agent}").json()["items"]
    assert (newest["version_number"], newest["change_type"], newest["prompt"]["content_preview"]) == (
        3,
        "prompt",
        "Olá",
    )
    assert (newest["config"]["tools"], newest["config"]["model_name"]) == (["t"], "m")
    assert prompt["version"] == 3


def test_equal_content_is_answered_with_the_version_that_has_it(send: Send, agent: str) -> None:
    first = save(send, agent)
    again = save(send, agent)
    assert again | {"message": ""} == first | {"message": ""}
    assert again["message"].startswith("Nada mudou")


def test_a_person_saves_in_their_own_name_whatever_the_body_says(send: Send, agent: str) -> None:
    save(send, agent, author="Outra pessoa")
    (item,) = send("GET", f"unified-history?agent_type={agent}").json()["items"]
    assert item["author"] == "Tereza Lins"


@pytest.mark.cases("agents", "17")
@pytest.mark.parametrize(
    ("path", "body", "status"),
    [*read_values("agents", "17"), ("unified-save", {"agent_type": "a" * 51, "prompt_content": "x"}, 422)],
)
def test_what_the_request_alone_shows_to_be_wrong(send: Send, path: str, body: Any, status: int) -> None:
    assert send("POST", path, body).status_code == status


def test_a_save_without_content_is_told_what_it_takes(send: Send) -> None:
    detail = send("POST", "system-prompt", {"prompt": "Seja breve."}).json()["detail"]
    assert detail == "Envie ao menos um campo de conteúdo: `new_prompt`."


def test_all_faults_of_a_save_are_listed_at_once(send: Send) -> None:
    body = {"agent_type": "", "tools": ["a", "a"], "model_name": 5, "activate": "talvez"}
    faults = send("POST", "unified-save", body).json()["detail"]
    assert {tuple(fault["loc"][:2]) for fault in faults} == {("body", name) for name in body}


@pytest.mark.cases("agents", "27")
@pytest.mark.parametrize("path", read_values("agents", "27"))
def test_a_malformed_parameter_is_a_listed_fault(send: Send, path: str) -> None:
    answer = send("GET", path)
    assert answer.status_code == 422
    (item,) = answer.json()["detail"]
    assert item["loc"][0] in {"query", "path"}


@pytest.mark.cases("agents", "19")
def test_of_two_saves_expecting_the_same_version_the_second_conflicts(send: Send, agent: str) -> None:
    save(send, agent)
    body = {"agent_type": agent, "prompt_content": "A", "expected_version": 1}
    assert send("POST", "unified-save", body).status_code == 200
    late = send("POST", "unified-save", body | {"prompt_content": "B"})
    assert refusal(late) == (409, "version-changed")
    for path in ("activate", "rollback"):
        moved = {"agent_type": agent, "version": 2, "reason": "x", "expected_version": 1}
        assert refusal(send("POST", f"agent-config/{path}", moved)) == (409, "version-changed")


@pytest.mark.cases("agents", "21")
def test_activating_and_rolling_back_twice_leaves_a_log(send: Send, sql: Any, agent: str) -> None:
    for text in ("Um", "Dois", "Três"):
        save(send, agent, prompt_content=text)
    moved = send("POST", "agent-config/activate", {"agent_type": agent, "version": 1, "reason": "teste"}).json()
    assert (moved["active_version"], moved["previous_version"]) == (1, 3)
    again = send("POST", "agent-config/activate", {"agent_type": agent, "version": 1, "reason": "teste"}).json()
    assert (again["previous_version"], again["message"]) == (1, "A versão 1 já estava ativa.")
    back = [send("POST", "agent-config/rollback", {"agent_type": agent, "reason": "teste"}).json() for _ in range(2)]
    assert [each["active_version"] for each in back] == [3, 1]
    log = sql("SELECT to_version, author FROM agents.agent_activations WHERE agent_type = $1 ORDER BY id", agent)
    assert [tuple(row) for row in log] == [(version, "Tereza Lins") for version in (1, 2, 3, 1, 3, 1)]


@pytest.mark.cases("agents", "22")
def test_there_is_no_way_back_from_the_first_version(send: Send, agent: str) -> None:
    save(send, agent)
    rollback = {"agent_type": agent, "reason": "x"}
    assert refusal(send("POST", "agent-config/rollback", rollback)) == (409, "nothing-before")
    save(send, agent, prompt_content="Nunca", activate=False)
    assert refusal(send("POST", "agent-config/rollback", rollback | {"to_version": 2})) == (409, "never-active")
    assert refusal(send("POST", "agent-config/rollback", rollback | {"to_version": 9})) == (404, "version-not-found")


def test_a_version_without_content_is_refused(send: Send, agent: str) -> None:
    assert refusal(send("POST", "unified-save", {"agent_type": agent, "reason": "x"})) == (400, "content-missing")
    assert send("GET", f"unified-history?agent_type={agent}").json()["items"] == []


@pytest.mark.cases("agents", "23")
def test_a_reset_adds_a_version_and_deletes_none(send: Send, agent: str) -> None:
    save(send, agent, tools=["x"])
    reset = send("DELETE", f"unified-reset?agent_type={agent}&update_agents=true").json()
    assert reset["unified_version"] == 2
    config = send("GET", f"agent-config?agent_type={agent}").json()
    assert (config["version"], config["tools"]) == (2, ["google_search", "public_services_grounded_search"])
    assert send("GET", f"unified-history?agent_type={agent}").json()["total_items"] == 2
    assert send("DELETE", "unified-reset").status_code == 422


@pytest.mark.cases("agents", "50")
def test_half_a_reset_leaves_the_other_half_as_it_is(send: Send, agent: str) -> None:
    save(send, agent, prompt_content="Meu texto", tools=["x"], model_name="m")
    config = send("DELETE", f"agent-config/reset?agent_type={agent}").json()
    read = send("GET", f"agent-config?agent_type={agent}").json()
    assert (read["config_id"], read["version"]) == (config["config_id"], config["version"]) == (read["config_id"], 2)
    assert read["tools"] == ["google_search", "public_services_grounded_search"]
    assert send("GET", f"system-prompt?agent_type={agent}").json()["prompt"] == "Meu texto"
    save(send, agent, tools=["y"])
    prompt = send("DELETE", f"system-prompt/reset?agent_type={agent}").json()
    text = send("GET", f"system-prompt?agent_type={agent}").json()
    assert (text["prompt_id"], text["version"]) == (prompt["prompt_id"], prompt["version"])
    assert text["prompt"] not in {"Meu texto", ""}
    assert send("GET", f"agent-config?agent_type={agent}").json()["tools"] == ["y"]
    assert send("DELETE", "agent-config/reset").status_code == 422


@pytest.mark.cases("agents", "49")
def test_the_newest_version_is_taken_back_once_for_whom_says_which(send: Send, agent: str) -> None:
    for text in ("Um", "Dois"):
        save(send, agent, prompt_content=text)
    stored = save(send, agent, prompt_content="Três", activate=False)
    path = f"system-prompt/last?agent_type={agent}"
    undone = send("DELETE", path).json()
    assert (undone["deleted_version"], undone["active_version"]) == (stored["unified_version_number"], 2)
    undone = send("DELETE", f"{path}&expected_version=2").json()
    assert (undone["deleted_version"], undone["active_version"]) == (2, 1)
    assert undone["previous_prompt_id"] == send("GET", f"system-prompt?agent_type={agent}").json()["prompt_id"]
    assert refusal(send("DELETE", f"{path}&expected_version=2")) == (409, "version-changed")
    assert refusal(send("DELETE", path)) == (409, "nothing-before")
    assert [item["version_number"] for item in send("GET", f"unified-history?agent_type={agent}").json()["items"]] == [
        1
    ]
    assert refusal(send("DELETE", f"{path}-unknown")) == (404, "agent-not-found")


@pytest.mark.cases("agents", "24")
def test_a_hidden_version_leaves_the_histories_alone(send: Send, agent: str) -> None:
    for text in ("Um", "Dois"):
        save(send, agent, prompt_content=text)
    active = f"unified-delete?agent_type={agent}&version_number=2"
    assert refusal(send("DELETE", active)) == (409, "version-active")
    assert refusal(send("DELETE", active.replace("=2", "=9"))) == (404, "version-not-found")
    assert send("DELETE", active.replace("=2", "=1")).json()["version_number"] == 1
    history = send("GET", f"unified-history?agent_type={agent}").json()
    assert (history["total_items"], [item["version_number"] for item in history["items"]]) == (1, [2])
    assert send("GET", f"unified-history/version/1?agent_type={agent}").status_code == 200
    assert send("GET", f"agent-config/compare?agent_type={agent}&from_version=1&to_version=2").status_code == 200
    body = {"agent_type": agent, "version": 1, "reason": "x"}
    assert refusal(send("POST", "agent-config/activate", body)) == (404, "version-not-found")


@pytest.mark.cases("agents", "28")
def test_histories_are_paged_without_overlap_or_gap(send: Send) -> None:
    for path, member, number in (
        ("unified-history", "items", "version_number"),
        ("agent-config/history", "configs", "version"),
        ("system-prompt/history", "prompts", "version"),
    ):
        seen: list[int] = []
        before, active = "", 0
        while before is not None:
            page = send("GET", f"{path}?limit=4" + (f"&before={before}" if before else "")).json()
            assert 0 < len(page[member]) <= 4
            seen += [item[number] for item in page[member]]
            active += sum(item["is_active"] for item in page[member])
            before = page["next_before"]
        assert active == 1
        assert seen == sorted(set(seen), reverse=True)
        assert demo.HIDDEN not in seen
        assert {11, 12} <= set(seen)
        assert seen == [item[number] for item in send("GET", f"{path}?limit=100").json()[member]]


@pytest.mark.cases("agents", "26")
def test_comparisons_are_mirror_images(send: Send) -> None:
    there = send("GET", "agent-config/compare?from_version=1&to_version=7").json()
    back = send("GET", "agent-config/compare?from_version=7&to_version=1").json()
    assert [change["field_name"] for change in there["changes"]] == [
        "prompt", "memory_blocks", "tools", "model_name",
    ]  # fmt: skip
    assert [(change["old_value"], change["new_value"]) for change in there["changes"]] == [
        (change["new_value"], change["old_value"]) for change in back["changes"]
    ]
    assert send("GET", "agent-config/compare?from_version=2&to_version=2").json()["changes"] == []
    unknown = send("GET", "agent-config/compare?from_version=1&to_version=99999")
    assert refusal(unknown) == (404, "version-not-found")


def test_the_active_configuration_is_revalidated(send: Send, agent: str) -> None:
    save(send, agent)
    first = send("GET", f"agent-config?agent_type={agent}")
    assert first.headers["Cache-Control"] == "private, no-cache"
    known = {"If-None-Match": first.headers["ETag"]}
    assert send("GET", f"agent-config?agent_type={agent}", headers=known).status_code == 304
    save(send, agent, tools=["x"])
    assert send("GET", f"agent-config?agent_type={agent}", headers=known).json()["version"] == 2


def test_a_person_who_reads_instructions_is_in_the_audit_trail_and_the_agents_are_not(
    send: Send, http: httpx.Client, issuer: Issuer, sql: Any
) -> None:
    count = "SELECT count(*) FROM platform.audit_event WHERE operation = 'agents.read_active_prompt'"
    (before,) = sql(count)
    assert http.get(f"{BASE}/system-prompt", headers=bearer(issuer.machine("agentes-runtime"))).status_code == 200
    assert sql(count) == [before]
    assert send("GET", "system-prompt").status_code == 200
    assert sql(count)[0][0] == before[0] + 1


def test_parallel_saves_get_consecutive_numbers_and_one_is_active(send: Send, agent: str) -> None:
    count = size(12, 40)
    with concurrent.futures.ThreadPoolExecutor(8) as callers:
        saved = list(callers.map(lambda n: save(send, agent, prompt_content=f"texto {n}"), range(count)))
    assert sorted(each["unified_version_number"] for each in saved) == list(range(1, count + 1))
    items = send("GET", f"unified-history?agent_type={agent}&limit=200").json()["items"]
    assert [item["version_number"] for item in items] == list(range(count, 0, -1))
    assert [item["version_number"] for item in items if item["is_active"]] == [count]


@pytest.mark.parametrize("path", ["system-prompt/reset", "system-prompt/last", "agent-config/reset", "unified-reset"])
def test_no_call_resets_an_agent_that_it_does_not_name(send: Send, path: str) -> None:
    before = send("GET", "unified-history").json()
    refused = send("DELETE", path)
    assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, ["query", "agent_type"])
    assert send("GET", "unified-history").json() == before
    assert all(item["version_display"] == item["metadata"]["version_display"] for item in before["items"])
