"""Check a prompt for its size, for secrets, and for placeholders without a value (rules: agents 2.2).

These functions have no side effects. They search for the published formats of keys and tokens, and never return a
secret.
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from balcao.agents.prompts.schemas import Problem
from balcao.agents.versions.schemas import LONGEST_PROMPT

MAX_PROBLEMS = 100
# Patterns of secrets by kind. Most patterns start with a fixed prefix, which makes the search fast.
_SECRETS = {
    "chave privada": r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----",
    "chave da AWS": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "chave do Google": r"\bAIza[0-9A-Za-z_-]{35}",
    "token do GitHub": r"\b(?:gh[oprsu]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{40})",
    "token do Slack": r"\bxox[abprs]-[0-9A-Za-z-]{10}",
    "chave de modelo de linguagem": r"\bsk-[0-9A-Za-z_-]{20}",
    "token JWT": r"\beyJ[0-9A-Za-z_-]{10,2000}\.eyJ[0-9A-Za-z_-]{10,4000}\.",
    "senha em endereço": r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,200}:[^\s/@]{1,200}@",
    "senha": r"(?i:\b(?:senha|password|secret|api[_-]?key|token)\b[\"']?\s{0,5}[:=]\s{0,5}[\"']?[^\s\"'{}<>]{8})",
}
_SECRET = re.compile("|".join(f"(?P<s{place}>{form})" for place, form in enumerate(_SECRETS.values())))
_KINDS = list(_SECRETS)
_PLACEHOLDER = re.compile(r"\{\{\s{0,20}([^{}\n]{1,100}?)\s{0,20}\}\}")


def find_problems(prompt: str, known: Collection[str]) -> list[Problem]:
    """Return at most 100 problems, sorted by kind and position. `known` contains the placeholders that have a value."""
    found = [*_check_size(prompt), *_find_secrets(prompt), *_find_placeholders(prompt, known)]
    return found[:MAX_PROBLEMS]


def _check_size(prompt: str) -> Iterator[Problem]:
    if not prompt.strip():
        yield Problem("size", "O texto está vazio.", 1)
    if len(prompt) > LONGEST_PROMPT:
        yield Problem("size", f"O texto tem {len(prompt)} caracteres; o máximo é {LONGEST_PROMPT}.", 1)


def _find_secrets(prompt: str) -> Iterator[Problem]:
    for match in islice(_SECRET.finditer(prompt), MAX_PROBLEMS):
        kind = _KINDS[int((match.lastgroup or "").removeprefix("s"))]
        yield Problem("secret", f"Parece haver um segredo: {kind}.", _number_line(prompt, match.start()))


def _find_placeholders(prompt: str, known: Collection[str]) -> Iterator[Problem]:
    unknown = (match for match in _PLACEHOLDER.finditer(prompt) if match[1] not in known)
    for match in islice(unknown, MAX_PROBLEMS):
        text = f"Ninguém preenche `{match[1]}`: nenhum bloco de memória tem este nome."
        yield Problem("placeholder", text, _number_line(prompt, match.start()))


def _number_line(prompt: str, position: int) -> int:
    return prompt.count("\n", 0, position) + 1
