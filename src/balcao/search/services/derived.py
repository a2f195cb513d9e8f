"""The fields derived from the content of a service: plain texts and the searched text (rules: search 3.1)."""

from datetime import datetime

import msgspec

from balcao.core.values.clock import to_unix_seconds
from balcao.search.document import ServiceContent, ServiceDocument
from balcao.search.services.markup import to_plaintext


def derive_document(
    content: ServiceContent,
    *,
    service_id: str,
    autor: str,
    slug: str,
    slug_history: list[str],
    created_at: int,
    at: datetime,
) -> ServiceDocument:
    """Return the complete service in the form that is stored."""
    return ServiceDocument(
        **msgspec.structs.asdict(content),
        autor=autor,
        id=service_id,
        slug=slug,
        slug_history=slug_history,
        created_at=created_at,
        last_update=to_unix_seconds(at),
        search_content=_join_searched_texts(content),
        resumo_plaintext=to_plaintext(content.resumo),
        resultado_solicitacao_plaintext=to_plaintext(content.resultado_solicitacao),
        descricao_completa_plaintext=to_plaintext(content.descricao_completa),
        instrucoes_solicitante_plaintext=to_plaintext(content.instrucoes_solicitante),
        documentos_necessarios_plaintext=[to_plaintext(text) for text in content.documentos_necessarios],
    )


def _join_searched_texts(content: ServiceContent) -> str:
    parts = [
        content.nome_servico,
        content.resumo,
        content.descricao_completa,
        content.tema_geral,
        *content.orgao_gestor,
        *content.publico_especifico,
        *content.documentos_necessarios,
    ]
    return " ".join(part for part in parts if part)
