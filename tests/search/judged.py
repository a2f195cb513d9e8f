"""The judged queries and the services that they look for; the ranking is tuned on them (rules: search 4.6)."""

import uuid
from importlib.resources import files
from typing import Any

from bench.catalogue import make_document


def read_queries() -> list[tuple[str, str]]:
    """Return what citizens type, and the name of the service that must come first."""
    return [(row[0], row[1]) for row in _read("judged.txt")]


def list_targets() -> list[dict[str, Any]]:
    """Return the services as they are stored, all of them published."""
    return [
        make_document(
            id=str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
            nome_servico=name,
            orgao_gestor=["Prefeitura"],
            resumo=summary,
            descricao_completa=f"{summary} O pedido é analisado pela equipe e a resposta chega pela sua conta.",
            documentos_necessarios=["Documento de identidade com foto", "CPF"],
            legislacao_relacionada=[],
            tema_geral=theme,
            sub_categoria=subcategory,
            publico_especifico=["Público em geral"],
            is_free=True,
            slug=str(uuid.uuid5(uuid.NAMESPACE_URL, name))[:8],
        )
        for name, theme, subcategory, summary in _read("catalogue.txt")
    ]


def _read(name: str) -> list[list[str]]:
    rows = files("tests.search.words").joinpath(name).read_text("utf-8").splitlines()
    return [[part.strip() for part in row.split("|")] for row in rows if not row.startswith("#")]
