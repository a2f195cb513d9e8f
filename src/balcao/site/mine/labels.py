"""Portuguese terms for the services' states and kinds, for the citizens' own pages."""

from balcao.site.tags import Tag
from balcao.web.person.client import Ticket

_APPLICATIONS = {
    "candidatura_enviada": Tag("in", "relogio", "Enviada"),
    "aprovada": Tag("ok", "sim", "Você segue na seleção"),
    "reprovada": Tag("", "info", "Não foi desta vez"),
    "retirada": Tag("", "info", "Retirada por você"),
    "vaga_congelada": Tag("at", "relogio", "Vaga parada por enquanto"),
    "vaga_descontinuada": Tag("", "info", "Vaga encerrada"),
}
_ASKED = Tag("at", "atencao", "Precisa da sua resposta")
_TICKETS = {
    "aberto": Tag("in", "relogio", "Recebido"),
    "em andamento": Tag("in", "relogio", "Em andamento"),
    "fechado com solução": Tag("ok", "sim", "Resolvido"),
    "fechado sem solução": Tag("", "info", "Não atendido"),
    "não constatado": Tag("", "info", "Fomos e não achamos o problema"),
    "cancelado": Tag("", "info", "Cancelado"),
}
VEHICLES = {
    "bicicleta_eletrica": "bicicleta elétrica",
    "ciclomotor": "ciclomotor",
    "patinete_eletrico": "patinete elétrico",
    "autopropelido": "veículo elétrico leve",
}
_CONDUCTORS = {
    "accepted": Tag("ok", "sim", "Pode conduzir"),
    "pending": Tag("in", "relogio", "Ainda não respondeu ao convite"),
    "rejected": Tag("", "info", "Recusou o convite"),
    "revoked": Tag("", "info", "Não conduz mais"),
}
TERMS = "termos_uso"
_CRITERIA = {
    TERMS: "Aceitar os termos do serviço de vagas",
    "idade_minima": "Ter pelo menos {} anos",
    "idade_maxima": "Ter no máximo {} anos",
    "escolaridade": "Ter {}",
    "idioma": "Falar {}",
    "bairro": "Morar em {}",
    "pcd": "Ser pessoa com deficiência: {}",
    "area_formacao": "Ter formação em {}",
}
# Where the citizen can correct the data that a criterion checks: the name of the page, and the text of the link.
REMEDIES = {
    "escolaridade": ("resume.show", "Completar o currículo"),
    "idioma": ("resume.show", "Completar o currículo"),
    "area_formacao": ("resume.show", "Completar o currículo"),
    "bairro": ("record.change_address", "Corrigir o endereço"),
}
_EVENTS = {
    "submit": "Você enviou a candidatura",
    "withdraw": "Você retirou a candidatura",
    "approve": "Você passou desta etapa",
    "reject": "Não foi desta vez",
    "reopen": "A candidatura voltou a andar",
    "move": "A candidatura mudou de etapa",
    "freeze": "A vaga parou por enquanto",
    "unfreeze": "A vaga voltou a andar",
    "discontinue": "A vaga foi encerrada",
}


def describe_application(status: str) -> Tag:
    """Describe the state of an application."""
    return _APPLICATIONS.get(status, Tag("", "info", status.replace("_", " ").capitalize()))


def describe_ticket(one: Ticket) -> Tag:
    """Describe the state of a request. An unknown state is shown as the CRM writes it."""
    if one.aguarda_resposta:
        return _ASKED
    return _TICKETS.get(one.status.lower(), Tag("", "info", one.status))


def describe_conductor(status: str) -> Tag:
    """Describe the state of a person's permission to ride a vehicle."""
    return _CONDUCTORS.get(status, Tag("", "info", status))


def describe_event(event: str) -> str:
    """Describe an event in an application's history."""
    return _EVENTS.get(event, "A candidatura mudou")


def describe_criterion(code: str, demanded: str) -> str:
    """Describe a job's requirement."""
    return _CRITERIA.get(code, "{}").format(demanded)


def name_vehicle(kind: str) -> str:
    """Return the name for a kind of vehicle."""
    return VEHICLES.get(kind, kind.replace("_", " "))
