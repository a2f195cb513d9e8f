"""Computes the content of a service after a change: each member is cleaned and merged (rules: search 3.1, 4.1)."""

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec
from msgspec import UNSET

from balcao.core.errors import Invalid
from balcao.search.document import ServiceContent
from balcao.search.services import cleaning, costs_and_deadlines
from balcao.search.services.schemas import ServiceBody

CLOCK_LEEWAY_SECONDS = 300


class Absent(Enum):
    """The effect of leaving out a member in a PUT. `null` resets all members except the required ones."""

    REFUSED = "refused"
    RESET = "reset"
    UNCHANGED = "unchanged"
    UNCHANGED_FILLED = "unchanged, never empty"  # required on POST; a PUT cannot empty it


@dataclass(frozen=True)
class Member:
    """The rules for one member. `read` cleans the sent value, and raises Invalid if it is bad."""

    read: Callable[[str, Any], Any]
    absent: Absent
    default: Callable[[], Any] = str


def merge_content(body: ServiceBody, stored: ServiceContent | None, now: datetime) -> ServiceContent:
    """Merge a body into the stored content, which is None for a new service.

    Raises Invalid, which names the bad member.
    """
    values = {name: _merge_member(member, name, getattr(body, name), stored) for name, member in MEMBERS.items()}
    content = costs_and_deadlines.settle(ServiceContent(**values), body, stored)
    if body.published_at is not UNSET and (content.published_at or 0) > now.timestamp() + CLOCK_LEEWAY_SECONDS:
        raise Invalid("O campo `published_at` está no futuro.", code="published_at-range")
    return replace_state(content, content.status, content.awaiting_approval)


def _merge_member(member: Member, name: str, sent: Any, stored: ServiceContent | None) -> Any:
    """Return the new value of one member.

    Raises Invalid for a bad value, or if a required member is missing or empty.
    """
    # A new service has no stored value to fall back on.
    if member.absent is Absent.REFUSED or (member.absent is Absent.UNCHANGED_FILLED and stored is None):
        if sent is UNSET or sent is None:
            raise Invalid(f"Falta o campo `{name}`.", code=f"{name}-missing")
        return _require_items(name, member.read(name, sent))
    if member.absent is Absent.UNCHANGED_FILLED:
        return (member.read(name, sent) if sent else None) or getattr(stored, name)
    if sent is UNSET and member.absent is Absent.UNCHANGED and stored is not None:
        return getattr(stored, name)
    return member.default() if sent is UNSET or sent is None else member.read(name, sent)


def _require_items(name: str, value: Any) -> Any:
    if not value:
        raise Invalid(f"O campo `{name}` precisa de pelo menos um item.", code=f"{name}-empty")
    return value


def replace_state(content: ServiceContent, status: int, awaiting_approval: bool) -> ServiceContent:
    """Return a copy with another editorial state. A published service never awaits approval."""
    return msgspec.structs.replace(content, status=status, awaiting_approval=awaiting_approval and status == 0)


def list_content_changes(before: ServiceContent | None, after: ServiceContent) -> list[str]:
    """Return the names of the members that differ. For a new service, return the names of all its members."""
    if before is None:
        return [name for name in MEMBERS if getattr(after, name) is not UNSET]
    return [name for name in MEMBERS if _encode(before, name) != _encode(after, name)]


def _encode(content: ServiceContent, name: str) -> bytes:
    """Encode the member as JSON, which distinguishes true from 1. In Python they are equal."""
    return msgspec.json.encode(_to_null(getattr(content, name)), order="sorted")


def _to_null(value: Any) -> Any:
    """Return None for an absent member, because only a member of a Struct can be absent in JSON."""
    return None if value is UNSET else value


_clean_line = functools.partial(cleaning.clean_prose, shortest=1, one_line=True)

# In the order of the table in the rules. Comparisons list the members in this order too.
MEMBERS: dict[str, Member] = {
    "nome_servico": Member(functools.partial(_clean_line, longest=500), Absent.REFUSED),
    "orgao_gestor": Member(functools.partial(cleaning.clean_texts, most=20, longest=200), Absent.REFUSED),
    "resumo": Member(functools.partial(cleaning.clean_prose, shortest=1), Absent.REFUSED),
    "tempo_atendimento": Member(cleaning.clean_prose, Absent.RESET),
    "custo_servico": Member(cleaning.clean_prose, Absent.RESET),
    "resultado_solicitacao": Member(cleaning.clean_prose, Absent.RESET),
    "descricao_completa": Member(cleaning.clean_prose, Absent.RESET),
    "documentos_necessarios": Member(cleaning.clean_texts, Absent.RESET, list),
    "instrucoes_solicitante": Member(cleaning.clean_prose, Absent.RESET),
    "canais_digitais": Member(cleaning.clean_texts, Absent.RESET, list),
    "canais_presenciais": Member(cleaning.clean_texts, Absent.RESET, list),
    "servico_nao_cobre": Member(cleaning.clean_prose, Absent.RESET),
    "legislacao_relacionada": Member(cleaning.clean_texts, Absent.RESET, list),
    "tema_geral": Member(functools.partial(_clean_line, longest=200), Absent.REFUSED),
    "sub_categoria": Member(cleaning.clean_optional_text, Absent.UNCHANGED, lambda: None),
    "publico_especifico": Member(
        functools.partial(cleaning.clean_texts, most=20, longest=200), Absent.UNCHANGED_FILLED
    ),
    "fixar_destaque": Member(cleaning.keep_flag, Absent.UNCHANGED, bool),
    "awaiting_approval": Member(cleaning.keep_flag, Absent.RESET, bool),
    "published_at": Member(cleaning.check_instant, Absent.UNCHANGED, lambda: None),
    "is_free": Member(cleaning.keep_flag, Absent.UNCHANGED, lambda: None),
    "agents": Member(cleaning.clean_agents, Absent.UNCHANGED, lambda: None),
    "extra_fields": Member(cleaning.check_extra, Absent.UNCHANGED, dict),
    "status": Member(cleaning.check_status, Absent.UNCHANGED, int),
    "buttons": Member(cleaning.clean_buttons, Absent.RESET, list),
    "custo": Member(costs_and_deadlines.clean_cost, Absent.UNCHANGED, lambda: UNSET),
    "prazo": Member(costs_and_deadlines.check_deadline, Absent.UNCHANGED, lambda: UNSET),
}
_list_members = operator.attrgetter(*MEMBERS)


def says_same(before: ServiceContent, after: ServiceContent) -> bool:
    """Return whether both contents are equal. This is faster than `list_content_changes`."""
    texts = [msgspec.json.encode(list(map(_to_null, _list_members(each))), order="sorted") for each in (before, after)]
    return texts[0] == texts[1]
