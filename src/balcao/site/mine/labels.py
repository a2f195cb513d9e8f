"""Portuguese terms for the services' states and kinds, for the citizens' own pages."""

from collections.abc import Sequence

from balcao.site.jobs.words import name_schooling
from balcao.site.mine.client import Application, ApplicationEvent, Criterion, Step
from balcao.site.tags import Tag
from balcao.web.person.client import Ticket
from balcao.web.words import join_words, lower_first

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
# The company verifies a disability. Without a value in the registry, the service counts the criterion as met.
_VERIFIED_LATER = Tag("in", "info", "a empresa confere")
_MET = Tag("ok", "sim", "você atende")
# What a criterion that is not met means, if the citizen cannot simply add what is missing.
_UNMET = {
    "idade_minima": "você não atende",
    "idade_maxima": "você não atende",
    "bairro": "você não atende",
    "pcd": "o seu cadastro diz que não",
}
# Where the citizen can correct the data that a criterion checks: the name of the page, and the text of the link.
REMEDIES = {
    "escolaridade": ("resume.show", "Completar o currículo"),
    "idioma": ("resume.show", "Completar o currículo"),
    "area_formacao": ("resume.show", "Completar o currículo"),
    "bairro": ("record.change_address", "Corrigir o endereço"),
    "idade_minima": ("record.show", "Conferir a data de nascimento"),
    "idade_maxima": ("record.show", "Conferir a data de nascimento"),
    "pcd": ("record.show", "Ver o que o cadastro diz"),
}
_EVENTS = {
    "submit": "Você enviou a candidatura",
    "withdraw": "Você retirou a candidatura",
    "edited": "A candidatura foi corrigida",
    "approve": "A empresa aprovou a candidatura",
    "reject": "A empresa não seguiu com a candidatura",
    "reopen": "A empresa voltou a analisar a candidatura",
    "set-step": "Você mudou de etapa",
    "clear-step": "Você saiu da etapa e espera a próxima",
    "step-removed": "A empresa tirou uma etapa da seleção",
    "freeze": "A candidatura parou por enquanto",
    "discontinue": "A candidatura foi encerrada",
}
# The states in which the company has finished with an application.
ENDED = ("reprovada", "vaga_descontinuada")
# Why the citizen cannot withdraw an application in this state (rules: employability 4.3).
STAYS = {
    "aprovada": "Depois que a empresa aprova, não dá para retirar a candidatura por aqui. Se você desistir, avise a "
    "empresa quando ela entrar em contato.",
    "vaga_congelada": "Enquanto a candidatura está parada, não dá para retirá-la.",
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


def describe_event(one: ApplicationEvent, steps: Sequence[Step]) -> str:
    """Describe an event in an application's history. If the event changed the step, name the new one."""
    text = _EVENTS.get(one.evento, "A candidatura mudou")
    if one.id_etapa_para == one.id_etapa_de:
        return text
    return ": ".join([text, *(step.titulo for step in steps if step.id == one.id_etapa_para)])


def describe_next(one: Application, phone: str) -> str:
    """Describe what happens now with an application, and what the citizen can do. `phone` may be empty."""
    call = (
        f"entra em contato pelo seu telefone {phone}"
        if phone
        else "entra em contato pelo telefone ou e-mail que você deu"
    )
    match one.status, one.etapa_atual:
        case (("candidatura_enviada" | "aprovada"), Step(titulo=step)):
            return f"Você está na etapa {step}. A empresa {call}: atenda mesmo que não conheça o número."
        case "candidatura_enviada", None if one.vaga.first_step:
            return f"A empresa lê as candidaturas e chama quem segue para a próxima etapa: {one.vaga.first_step}."
        case "candidatura_enviada", None:
            return "A empresa lê as candidaturas. A resposta aparece aqui."
        case "aprovada", _:
            return f"A empresa aprovou a sua candidatura e {call} para combinar o que vem depois."
        case "reprovada", _:
            return "A empresa não seguiu com a sua candidatura, e não dá para se candidatar de novo a esta vaga."
        case "vaga_congelada", _:
            return "A seleção parou por enquanto. Você não precisa fazer nada: a candidatura continua guardada."
        case "vaga_descontinuada", _:
            return "A seleção acabou, e esta vaga não vai mais chamar ninguém."
    return ""


def describe_criterion(one: Criterion) -> str:
    """Describe a job's requirement, without any code."""
    wanted = one.exigido
    match one.criterio:
        case "termos_uso":
            return "Aceitar os termos do serviço de vagas"
        case "idade_minima":
            return f"Ter pelo menos {wanted} anos"
        case "idade_maxima":
            return f"Ter no máximo {wanted} anos"
        case "escolaridade":
            return f"Ter {name_schooling(wanted)} ou mais"
        case "idioma":
            language, _, level = wanted.partition(": ")
            return f"Falar {lower_first(language)}, nível {level.lower()} ou mais"
        case "bairro":
            return f"Morar em {join_words(wanted.split(', '), 'ou')}"
        case "area_formacao":
            return f"Ter formação em {join_words(wanted.split(', '), 'ou')}"
        case "pcd":
            return "Ser pessoa com deficiência"
    return "Outra condição da vaga"


def judge_criterion(one: Criterion) -> Tag:
    """Return whether the citizen meets a job's requirement, in words."""
    if not one.atendido:
        return Tag("falta", "nao", _UNMET.get(one.criterio, "falta"))
    return _VERIFIED_LATER if one.criterio == "pcd" else _MET


def name_vehicle(kind: str) -> str:
    """Return the name for a kind of vehicle."""
    return VEHICLES.get(kind, kind.replace("_", " "))
