"""What an editor's body makes of a service: cleaned, bounded, merged member by member (rules: search 3.1, 4.1)."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec
from msgspec import UNSET

from balcao.core.errors import Invalid
from balcao.search.document import Content
from balcao.search.services import cleaning
from balcao.search.services.schemas import ServiceBody

CLOCK_LEEWAY_SECONDS = 300


class Absent(Enum):
    """What a member that a PUT leaves out becomes; null clears all but required members."""

    REFUSED = "refused"
    RESET = "reset"
    KEPT = "kept"
    KEPT_FILLED = "kept filled"  # required on POST; absent, null and empty keep it on PUT


@dataclass(frozen=True)
class Member:
    """One row of the document's table. `read` cleans a value that was sent, or raises Invalid."""

    read: Callable[[str, Any], Any]
    absent: Absent
    default: Callable[[], Any] = str

    def merged(self, name: str, sent: Any, stored: Content | None) -> Any:
        if self.absent is Absent.REFUSED or (self.absent is Absent.KEPT_FILLED and stored is None):
            if sent is UNSET or sent is None:
                raise Invalid(f"Falta o campo `{name}`.", code=f"{name}-missing")
            return self._filled(name, self.read(name, sent))
        if self.absent is Absent.KEPT_FILLED:
            return (self.read(name, sent) if sent else None) or getattr(stored, name)
        if sent is UNSET and self.absent is Absent.KEPT and stored is not None:
            return getattr(stored, name)
        return self.default() if sent is UNSET or sent is None else self.read(name, sent)

    def _filled(self, name: str, value: Any) -> Any:
        if not value:
            raise Invalid(f"O campo `{name}` precisa de pelo menos um item.", code=f"{name}-empty")
        return value


def merge(body: ServiceBody, stored: Content | None, now: datetime) -> Content:
    """The content after the call; `stored` is None for a new service. Raises Invalid naming the member."""
    values = {name: member.merged(name, getattr(body, name), stored) for name, member in MEMBERS.items()}
    content = Content(**values)
    if body.published_at is not UNSET and (content.published_at or 0) > now.timestamp() + CLOCK_LEEWAY_SECONDS:
        raise Invalid("O campo `published_at` está no futuro.", code="published_at-range")
    return with_state(content, content.status, content.awaiting_approval)


def with_state(content: Content, status: int, awaiting_approval: bool) -> Content:
    """A published service never awaits approval."""
    return msgspec.structs.replace(content, status=status, awaiting_approval=awaiting_approval and status == 0)


def changed(before: Content | None, after: Content) -> list[str]:
    """The members that differ, all for a new service."""
    return [name for name in MEMBERS if before is None or _json(before, name) != _json(after, name)]


def _json(content: Content, name: str) -> bytes:
    """Compared as JSON: Python would take true for 1."""
    return msgspec.json.encode(getattr(content, name), order="sorted")


_line = functools.partial(cleaning.text, shortest=1, one_line=True)

# In the order of the document's table, which is also the order of a comparison.
MEMBERS: dict[str, Member] = {
    "nome_servico": Member(functools.partial(_line, longest=500), Absent.REFUSED),
    "orgao_gestor": Member(functools.partial(cleaning.texts, most=20, longest=200), Absent.REFUSED),
    "resumo": Member(functools.partial(cleaning.text, shortest=1), Absent.REFUSED),
    "tempo_atendimento": Member(cleaning.text, Absent.RESET),
    "custo_servico": Member(cleaning.text, Absent.RESET),
    "resultado_solicitacao": Member(cleaning.text, Absent.RESET),
    "descricao_completa": Member(cleaning.text, Absent.RESET),
    "documentos_necessarios": Member(cleaning.texts, Absent.RESET, list),
    "instrucoes_solicitante": Member(cleaning.text, Absent.RESET),
    "canais_digitais": Member(cleaning.texts, Absent.RESET, list),
    "canais_presenciais": Member(cleaning.texts, Absent.RESET, list),
    "servico_nao_cobre": Member(cleaning.text, Absent.RESET),
    "legislacao_relacionada": Member(cleaning.texts, Absent.RESET, list),
    "tema_geral": Member(functools.partial(_line, longest=200), Absent.REFUSED),
    "sub_categoria": Member(cleaning.optional_text, Absent.KEPT, lambda: None),
    "publico_especifico": Member(functools.partial(cleaning.texts, most=20, longest=200), Absent.KEPT_FILLED),
    "fixar_destaque": Member(cleaning.as_sent, Absent.KEPT, bool),
    "awaiting_approval": Member(cleaning.as_sent, Absent.RESET, bool),
    "published_at": Member(cleaning.instant, Absent.KEPT, lambda: None),
    "is_free": Member(cleaning.as_sent, Absent.KEPT, lambda: None),
    "agents": Member(cleaning.agents, Absent.KEPT, lambda: None),
    "extra_fields": Member(cleaning.extra, Absent.KEPT, dict),
    "status": Member(cleaning.status, Absent.KEPT, int),
    "buttons": Member(cleaning.buttons, Absent.RESET, list),
}
