"""The check of a prompt before it is saved (rules: agents 2.2)."""

import string
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao.agents.prompts.check import MAX_PROBLEMS, find_problems
from balcao_sandbox.demo import agents as demo
from tests.support.issuer import Issuer, bearer

PATH = "/agent/api/v1/system-prompt/check"

# The strings are built from parts, so that scanners do not report them as secrets.
SECRETS = {
    "chave privada": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "chave da AWS": "AKIA" + "ABCDEFGHIJKLMNOP",
    "chave do Google": "AIza" + "a" * 35,
    "token do GitHub": "ghp_" + "a" * 36,
    "token do Slack": "xoxb-" + "1234567890",
    "chave de modelo de linguagem": "sk-" + "proj-abcdefghijklmnopqr",
    "token JWT": "eyJ" + "hbGciOiJSUzI1" + ".eyJ" + "zdWIiOiIxMjM0" + ".abc",
    "senha em endereço": "postgresql://app:" + "segredo@banco:5432/x",
    "senha": 'senha: "' + "Tr0cado!2026" + '"',
}


def find(prompt: str, *known: str) -> list[tuple[str, int]]:
    return [(problem.kind, problem.line) for problem in find_problems(prompt, known)]


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_named_by_what_it_is_and_never_repeated(kind: str) -> None:
    (problem,) = find_problems(f"linha um\nuse {SECRETS[kind]} aqui", ())
    assert (problem.kind, problem.line, problem.message) == ("secret", 2, f"Parece haver um segredo: {kind}.")


def test_words_about_secrets_are_none() -> None:
    for text in (
        "Nunca peça a senha: oriente a trocá-la.",
        "O token: veja o portal.",
        "https://servicos.exemplo/agendar?dia=1",
        "escreva sk-8",
    ):
        assert find(text) == []


def test_names_that_nobody_fills_are_told_with_their_line() -> None:
    assert find("{{persona}} e {{ human }}\n{{nome}} {outro} {{\n}}", "persona", "human") == [("placeholder", 2)]


@given(name=st.text(string.ascii_letters + "_ -.", min_size=1, max_size=40).map(str.strip).filter(bool))
def test_a_name_is_a_problem_exactly_when_it_is_unknown(name: str) -> None:
    assert find(f"a {{{{ {name} }}}}") == [("placeholder", 1)]
    assert find(f"a {{{{{name}}}}}", name) == []


def test_size_and_number_of_problems_are_bounded() -> None:
    assert find(" \n") == [("size", 1)]
    assert find("a" * 200_001) == [("size", 1)]
    assert find("a" * 200_000) == []
    assert len(find_problems("{{x}} " * 500 + SECRETS["senha"], ())) == MAX_PROBLEMS


@given(text=st.text(st.sampled_from("{}eyJ.-_:/@ a1\n"), max_size=300))
def test_any_text_can_be_checked(text: str) -> None:
    for problem in find_problems(text, ()):
        assert 1 <= problem.line <= text.count("\n") + 1


@pytest.mark.usefixtures("loaded")
def test_the_memory_blocks_of_the_active_version_count(http: httpx.Client, issuer: Issuer) -> None:
    def check(role: str, **body: Any) -> httpx.Response:
        token = issuer.person("90000020605", name="Tereza Lins", realm_access={"roles": [role]})
        return http.post(PATH, json=body, headers=bearer(token))

    text = "Atenda como {{persona}}, a {{human}}."
    assert check("agentes:leitor", prompt_content=text).json() == {
        "ok": True, "characters": len(text), "problems": [],
    }  # fmt: skip
    others: list[dict[str, Any]] = [{"agent_type": "nenhum"}, {"known": []}, {"agent_type": demo.AGENT, "known": ["x"]}]
    for body in others:
        found = check("agentes:leitor", prompt_content=text, **body).json()
        assert (found["ok"], len(found["problems"])) == (False, 2)
    assert check("cidadao", prompt_content=text).status_code == 403
    assert check("agentes:leitor").status_code == 422
