"""Request bodies for applications."""

from typing import Any

from balcao.core.values.cpf import Cpf

BASE = "/jobs/api/v1/empregabilidade/candidaturas"
TERMS = "/jobs/api/v1/empregabilidade/termos-uso"
BLOCKS = "/jobs/api/v1/empregabilidade/candidatura-bloqueios"


def person(number: int) -> str:
    """Return the CPF of the citizen with this number. Each test of a module uses its own numbers."""
    return Cpf.with_stem(f"81{number:07d}").digits


def answer_all(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an answer to each required question."""
    texts = {"resposta_curta": "Gosto.", "resposta_numerica": "3"}
    return [
        {"id_info": question["id"], "resposta": texts.get(question["tipo_campo"]) or question["opcoes"][0]}
        for question in job["informacoes_complementares"]
        if question["obrigatorio"]
    ]
