"""Calls the search service: one published service, the older portal's addresses, and feedback."""

from typing import Any

import msgspec

from balcao.site.reading.catalogue import Listed
from balcao.site.reading.reader import NEVER, Moved, Reader
from balcao.web.api import RateLimited, ServiceUnavailable, quoted

BASE = "/search/api/v1"


class Button(msgspec.Struct):
    """A link from a service to the website on which people request it."""

    titulo: str = ""
    url_service: str = ""
    descricao: str = ""
    is_enabled: bool = True
    ordem: int | None = None


class Service(Listed):
    """A published service with the members that its page shows."""

    resumo: str = ""
    descricao_completa: str = ""
    documentos_necessarios: list[str] = msgspec.field(default_factory=list)
    instrucoes_solicitante: str = ""
    resultado_solicitacao: str = ""
    servico_nao_cobre: str = ""
    legislacao_relacionada: list[str] = msgspec.field(default_factory=list)
    publico_especifico: list[str] = msgspec.field(default_factory=list)
    buttons: list[Button] = msgspec.field(default_factory=list)
    tambem_conhecido_como: list[str] = msgspec.field(default_factory=list)


async def read_service(reader: Reader, slug: str, asked: str = "") -> Service:
    """Read a service by its slug. Raises Moved if the slug has changed.

    If the visitor comes from a search, `asked` contains the words of the search. The search service counts each such
    visit, so a cached answer is used only if the service is down.
    """
    path, query = f"{BASE}/services/{quoted(slug)}", {"include_other_names": True}
    if asked:
        try:
            return await reader.read_newest(path, Service, {**query, "busca": asked})
        except (ServiceUnavailable, RateLimited):
            pass
    return await reader.get(path, Service, query)


async def read_service_by_id(reader: Reader, number: str) -> Service:
    """Read a service by its id."""
    return await reader.get(f"{BASE}/search/{quoted(number)}", Service)


async def give_feedback(reader: Reader, slug: str, is_helpful: bool, comment: str) -> None:
    """Send anonymous feedback: whether the page of a service helped, and a comment."""
    body = {"helpful": is_helpful, "comment": comment or None}
    await reader.send(f"{BASE}/services/{quoted(slug)}/feedback", type(None), body)


async def find_by_old_number(reader: Reader, source: str, number: str) -> str | None:
    """Return the current slug of the service that had this number in the older portal.

    Return None for an unknown number.
    """
    try:
        await reader.get(
            f"{BASE}/services/by-legacy/{quoted(source)}/{quoted(number)}", dict[str, Any], stale=NEVER, is_chosen=True
        )
    except Moved as moved:
        return moved.slug
    return None
