"""Portuguese terms for kinds of jobs, failure reasons, services, rates and states."""

import re
from collections.abc import Sequence

from balcao.panel.operation.platform_client import Limit
from balcao.web.person.labels import name_member
from balcao.web.words import capitalize_first, format_number

KINDS = {
    "agents.deliver_webhook": "aviso de agentes a outro sistema",
    "application_email": "e-mail a quem se candidatou",
    "crm_push": "envio ao CRM",
    "crm_event": "evento do CRM",
    "crm_request": "envio de um pedido ao CRM",
    "crm_requests": "leitura dos pedidos no CRM",
    "crm_reconcile": "releitura do CRM",
    "employability.read_bank_names": "nomes do banco de currículos",
    "employability.refresh_bank_names": "revisão dos nomes do banco de currículos",
    "employability.refresh_candidate": "dados de uma pessoa candidata",
    "employability.refresh_departments": "órgãos das vagas",
    "employability.refresh_people": "dados de quem se candidatou",
    "job_closed": "encerramento de uma vaga",
    "phone_code": "código por telefone",
    "invite_email": "convite de condutor por e-mail",
    "request_email": "e-mail sobre um pedido",
    "health_units.add_holidays": "feriados do ano que vem",
    "health_units.read_sources": "leitura das fontes de risco",
    "health_units.deliver_webhook": "aviso de risco a outro sistema",
    "search.continue_migration": "migração da busca",
    "search.rank_services": "ordem dos serviços pelas leituras",
    "search.tidy_up": "limpeza da busca",
    "platform.chain_audit": "encadeamento da trilha",
    "registry.announce_opt_out": "recusa de mensagens a anunciar",
    "registry.delete_files": "remoção do conteúdo de arquivos apagados",
    "registry.deliver_opt_out": "aviso de recusa a um sistema de envios",
    "registry.hash_staff": "marcas de servidores na trilha",
    "registry.sweep_files": "limpeza de arquivos sem registro",
    "platform.apply_retention": "prazos de guarda",
}

SERVICES = {
    "registry": "Registro do cidadão",
    "employability": "Trabalho",
    "search": "Busca e catálogo",
    "access": "Acessos",
    "health_units": "Unidades de saúde",
    "agents": "Agentes",
    "agent_docs": "Documentação dos agentes",
}
# The names of parts that answer calls but are not services, by their identifier in the counts.
_OTHER_PARTS = {
    "panel": "Painel",
    "identity": "Provedor de identidade",
    "gateway": "Páginas comuns e endereços desconhecidos",
}
IMPORT_STATES = {
    "running": ("in", "em andamento"),
    "interrupted": ("at", "interrompida"),
    "done": ("ok", "terminada"),
}
_IMPORTS = {
    "citizens": "cidadãos",
    "companies": "empresas",
    "departments": "departamentos",
    "phones": "telefones",
    "services": "serviços do catálogo",
    "units": "unidades de saúde",
}
_PERIODS = {
    "second": ("segundo", "segundos"),
    "minute": ("minuto", "minutos"),
    "hour": ("hora", "horas"),
    "day": ("dia", "dias"),
}
_RATE = re.compile(r"(\d+)\s*(?:/|per)\s*(\d*)\s*([a-z]+?)s?")
_SETTINGS = {
    "BALCAO_READ_RATE": "leituras de cada pessoa em cada operação",
    "BALCAO_WRITE_RATE": "gravações de cada pessoa em cada operação",
    "BALCAO_CRM_RATE": "chamadas de cada pessoa que consultam o CRM na hora",
    "BALCAO_MACHINE_READ_RATE": "leituras de cada sistema em cada operação",
    "BALCAO_MACHINE_WRITE_RATE": "gravações de cada sistema em cada operação",
    "BALCAO_MACHINE_CRM_RATE": "chamadas de cada sistema que consultam o CRM na hora",
    "BALCAO_EXPORT_LIMIT": "cópias dos dados de uma pessoa",
    "BALCAO_ACCESS_LIST_LIMIT": "consultas a quem viu os dados de uma pessoa",
    "BALCAO_ENUMERATION_LIMIT": "recusas em endereços com CPF ou CNPJ, antes de barrar quem tenta",
    "BALCAO_RECIPIENTS_LIMIT": "destinatários que cada sistema de envios consulta",
    "BALCAO_REFUSED_RECIPIENTS_LIMIT": "destinatários que não aceitam, em cada sistema de envios",
    "BALCAO_CAMPAIGNS_LIMIT": "envios novos de cada sistema de envios",
    "BALCAO_REFUSED_RATE": "chamadas sem um token válido, de cada endereço de rede",
}
_LIMITED = {
    "setting": "todas as operações sem limite próprio",
    "use case": "o que estas buscas contam juntas",
    "operation": "uma operação, pela taxa geral",
    "operation's own": "uma operação, por taxa própria",
}
_REPLICA_FAULTS = {
    "replica-foreign": "é de outro conjunto de servidores",
    "replica-promoted": "grava: não é mais réplica",
    "replica-behind": "atrasada demais para leituras",
}


def name_kind(kind: str) -> str:
    """Return the name for a kind of job, or its identifier if it has no name."""
    return KINDS.get(kind, kind.replace("_", " "))


def name_fields(fields: Sequence[str]) -> str:
    """Return the labels of the record members that a job concerns."""
    return ", ".join(name_member(field) for field in fields)


def describe_failure(code: str | None, status: int | None) -> str:
    """Explain why an attempt failed, as far as the reason is known."""
    said = {400: "o outro sistema recusou os dados", 401: "o outro sistema não nos reconhece", 404: "não existe lá"}
    if status is not None and status >= 500:
        return f"o outro sistema falhou ({status})"
    if status is not None:
        return f"{said.get(status, 'o outro sistema recusou')} ({status})"
    return code or "sem resposta"


def name_service(name: str) -> str:
    """Return the name of a service, or of another part that answers calls."""
    return SERVICES.get(name) or _OTHER_PARTS.get(name, name)


def name_process(name: str) -> str:
    """Describe the role and number of a process."""
    role, _, number = name.partition("-")
    return f"{ {'api': 'atende chamadas', 'worker': 'executa tarefas'}.get(role, role) } ({role} {number})"


def name_import(kind: str) -> str:
    """Return the name for a kind of import, or its identifier if it has no name."""
    return _IMPORTS.get(kind, kind.replace("_", " "))


def describe_rate(rate: str) -> str:
    """Describe a rate in words: "20 por segundo", "300 em 5 minutos"."""
    found = _RATE.fullmatch(rate)
    if found is None or found[3] not in _PERIODS:
        return rate
    one, many = _PERIODS[found[3]]
    times = format_number(int(found[1]))
    return f"{times} por {one}" if found[2] in ("", "1") else f"{times} em {found[2]} {many}"


def describe_limit(limit: Limit) -> str:
    """Return a limit's name."""
    whose = " (sistemas)" if limit.name.endswith(":machines") else ""
    return (
        capitalize_first(_SETTINGS.get(limit.name) or limit.summary or _LIMITED.get(limit.about, limit.about)) + whose
    )


def describe_replica(fault: str | None) -> str:
    """Explain why a replica is not used for reads. Return an empty string if it is used."""
    return "" if fault is None else _REPLICA_FAULTS.get(fault, "não responde")
