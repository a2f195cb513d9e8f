"""A staff member at work, and what they send."""

from typing import Any

import msgspec

from balcao.core.access.caller import Caller
from balcao.core.access.rules import Decision, Reason
from balcao.core.context.call import Call
from balcao.core.context.headers import Headers
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.search.services.schemas import ServiceBody

ADMIN = frozenset({"admin"})
NOBODY: frozenset[str] = frozenset()

REQUIRED = {
    "nome_servico": "Poda de árvore",
    "orgao_gestor": ["Secretaria de Conservação"],
    "resumo": "Solicita a **poda** de árvores.",
    "tema_geral": "Cidade",
    "publico_especifico": ["Público em geral"],
}


def body(**members: Any) -> ServiceBody:
    """The required members and these; a member set to `...` is left out."""
    return msgspec.convert({k: v for k, v in (REQUIRED | members).items() if v is not ...}, ServiceBody)


def act_as_staff(platform: Platform, roles: frozenset[str] = ADMIN, *, if_match: str | None = None) -> Call:
    """A call whose own rule has passed; the roles decide on what it needs besides."""
    caller = Caller(
        subject="person-90000020281",
        client="portal-servidor",
        cpf=Cpf.parse("90000020281"),
        name="Gestor Demo",
        email=None,
        scopes=frozenset(),
        roles=roles,
        expires_at=float("inf"),
    )
    decision = Decision(Reason.GRANTED, "service:update")
    headers = Headers() if if_match is None else Headers({b"if-match": if_match.encode()})
    return Call(platform, "search.test", new_id(), decision, caller, headers)


def make_button(**members: Any) -> dict[str, Any]:
    return {"titulo": "Pedir", "url_service": "https://servicos.portoaurora.example/1"} | members
