"""The judged queries and the services that they look for; the ranking is tuned on them (rules: search 4.6).

Two lists: one for the constants of the score, and what citizens type for the services of the sandbox's city, of which a
part is held out.
"""

import uuid
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from balcao_sandbox.demo import search as demo
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


def read_citizens(*, held_out: bool = False) -> list[tuple[str, frozenset[str]]]:
    """Return what citizens type, and the names of the services that are right."""
    rows = _read("citizens_held_out.txt" if held_out else "citizens.txt")
    return [(query, frozenset(right.split(" ; "))) for query, right in rows]


def rate(find: Callable[[str], Sequence[str]], queries: Sequence[tuple[str, frozenset[str]]]) -> tuple[float, float]:
    """Return for which share of the queries a right service is found first, and among the first three."""
    found = [(find(query)[:3], right) for query, right in queries]
    first = sum(bool(right.intersection(names[:1])) for names, right in found)
    return first / len(found), sum(bool(right.intersection(names)) for names, right in found) / len(found)


def list_city() -> list[dict[str, Any]]:
    """Return the published services of the sandbox's city as they are stored."""
    return [
        make_document(**planned.body | {"status": 1}, id=planned.service_id, slug=planned.service_id[:8])
        for planned in demo.list_published()
    ]


def _read(name: str) -> list[list[str]]:
    rows = files("tests.search.words").joinpath(name).read_text("utf-8").splitlines()
    return [[part.strip() for part in row.split("|")] for row in rows if not row.startswith("#")]
