"""Kinds of jobs and reasons of failures in words."""

KINDS = {
    "crm_push": "envio ao CRM",
    "crm_event": "evento do CRM",
    "crm_reconcile": "releitura do CRM",
    "phone_code": "código por telefone",
    "invite_email": "convite de condutor por e-mail",
    "health_units.deliver_webhook": "aviso de risco a outro sistema",
    "search.continue_migration": "migração da busca",
    "platform.chain_audit": "encadeamento da trilha",
}


def name_kind(kind: str) -> str:
    """Return a kind of job as people call it; one that has no words yet by its own name."""
    return KINDS.get(kind, kind.replace("_", " "))


def describe_failure(code: str | None, status: int | None) -> str:
    """Return why a try failed, as far as it is known."""
    said = {400: "o outro sistema recusou os dados", 401: "o outro sistema não nos reconhece", 404: "não existe lá"}
    if status is not None and status >= 500:
        return f"o outro sistema falhou ({status})"
    if status is not None:
        return f"{said.get(status, 'o outro sistema recusou')} ({status})"
    return code or "sem resposta"
