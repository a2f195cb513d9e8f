"""Describe an access to a person's data in Portuguese, for that person to read (rules: registry 4.9)."""

from collections.abc import Mapping

from balcao.core.access.snapshot import Snapshot
from balcao.core.operation_names import OperationNames
from balcao.registry.rights.schemas import Access, AccessNames, AuditEvent

_ACTIONS = {
    "read": "Leu",
    "create": "Incluiu",
    "update": "Mudou",
    "delete": "Excluiu",
    "export": "Levou uma cópia",
    "anonymise": "Tornou os dados anônimos",
    "push": "Enviou à central de atendimento",
    "event": "Recebeu da central de atendimento",
    "denied": "Tentou, e foi recusado",
}
_FIELDS = {
    "citizen": "o cadastro",
    "citizen_sensitive": "os dados sensíveis",
    "cpf": "o CPF",
    "found_by_name": "a identificação, pesquisando por nome e nascimento",
    "found_by_protocol": "a identificação, pesquisando por protocolo",
    "found_by_phone": "a identificação, pesquisando por telefone",
    "opt_in": "as preferências de mensagens",
    "preference_history": "o histórico de preferências",
    "tickets": "os pedidos",
    "requests": "os pedidos",
    "request_type": "um tipo de pedido",
    "files": "os arquivos",
    "pets": "os animais",
    "vehicle": "os veículos",
    "conductor": "os condutores",
    "empresas": "as empresas",
    "crm_mirror": "o que a central de atendimento informou",
    "crm_account": "o cadastro na central de atendimento",
    "accesses": "a lista de acessos",
    "audit": "a trilha de acessos",
    "anonymisation": "o que seria apagado",
    "wallet": "a carteira",
    "phone_book": "a lista de telefones",
    "phone_verification": "a confirmação de um telefone",
    "apresentacao": "a apresentação",
    "banco_curriculos": "a ficha no banco de currículos",
    "bloqueio": "o bloqueio de candidaturas",
    "candidatura": "a candidatura",
    "category_opt_ins": "as preferências de mensagens",
    "cd_uas": "a lotação",
    "conquistas": "as conquistas",
    "criterios_nao_atendidos": "os critérios de uma vaga",
    "crm_tickets": "os pedidos na central de atendimento",
    "curriculo": "o currículo",
    "cursos_complementares": "os cursos",
    "dataset": "um conjunto de exemplos",
    "empresa": "uma empresa",
    "entregas": "as entregas de avisos",
    "eventos": "os eventos de risco",
    "experiencias": "as experiências",
    "experiment": "um experimento de agentes",
    "formacoes": "a formação",
    "idiomas": "os idiomas",
    "jobs": "as tarefas paradas",
    "situacao_interesses": "a situação e os interesses",
    "prompt": "as instruções de um agente",
    "termos_uso": "os termos aceitos",
    "vaga": "uma vaga",
    "telefone": "o telefone",
    "email": "o e-mail",
    "endereco": "o endereço",
    "nome": "o nome",
    "nascimento": "o nascimento",
}
_ACTORS = {
    "owner": "A própria pessoa",
    "citizen": "Outro cidadão",
    "staff": "Servidor da prefeitura",
    "client": "Um sistema autorizado pela prefeitura",
    "crm": "Central de atendimento",
    "worker": "Sistema da prefeitura, automaticamente",
    "operator": "Equipe técnica da prefeitura",
}
_SCOPES = {
    "rmi:pessoa-fisica:read": "dados de cadastro",
    "rmi:telefone:read": "telefones",
    "sms:read": "dados da saúde",
    "sme:read": "dados da educação",
    "smtr:read": "dados de transporte",
    "smf:read": "dados da fazenda",
    "busca:search": "busca de serviços",
    "catalogo:read": "catálogo de serviços",
}
_GRANTS = {
    "self": "Dados da própria pessoa",
    "vehicle_link": "Vínculo com um veículo",
    "authenticated": "Qualquer pessoa que entrou na sua conta",
    "public": "Consulta aberta a todos",
    "worker": "Tarefa da plataforma",
    "operator": "Operação da plataforma",
}


def name_access(
    access: Access | AuditEvent, operations: OperationNames, descriptions: Mapping[str, str]
) -> AccessNames:
    """Describe an access in words. `descriptions` contains the description of each action in the access catalogue."""
    return AccessNames(
        action=_ACTIONS.get(access.action, "Usou"),
        operation=operations.find(access.operation),
        fields=list(dict.fromkeys(_FIELDS[field] for field in access.fields if field in _FIELDS)),
        actor=_name_actor(access),
        grant=name_grant(access.grant, descriptions),
    )


def list_descriptions(snapshot: Snapshot) -> dict[str, str]:
    """Return the description of each action in the access catalogue, by the action's key."""
    return {action.key: action.description for action in snapshot.actions.values()}


def name_grant(grant: str, descriptions: Mapping[str, str]) -> str | None:
    """Describe the right that allowed an access. Return None for an unknown right."""
    kind, _, name = grant.partition(":")
    if kind == "scope":
        return f"Sistema autorizado a ler {_SCOPES[name]}" if name in _SCOPES else "Sistema autorizado"
    if kind == "client":
        return "Sistema da prefeitura, nomeado na configuração"
    return _GRANTS.get(grant) or descriptions.get(grant) or None


def _name_actor(access: Access | AuditEvent) -> str:
    """Describe the actor. Members of staff appear as their department, never as a person."""
    if access.actor_kind == "staff" and access.department:
        return access.department
    return _ACTORS.get(access.actor_kind, "Sistema")
