"""Portuguese terms for the API's names."""

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from balcao.web.person.client import Access, Choice
from balcao.web.words import format_phone, lower_first

MEMBERS = {
    "nome": "Nome",
    "nome_social": "Nome social",
    "nome_exibicao": "Nome que prefere usar",
    "nascimento": "Nascimento",
    "mae": "Mãe",
    "email": "E-mail",
    "telefone": "Telefone",
    "endereco": "Endereço",
    "escolaridade": "Escolaridade",
    "genero": "Gênero",
    "raca": "Raça ou cor",
    "deficiencia": "Deficiência",
    "renda_familiar": "Renda familiar",
}
# The values that the registry defines. Other values appear as the CRM writes them.
_ETHNICITIES = {
    "branca": "Branca",
    "preta": "Preta",
    "parda": "Parda",
    "amarela": "Amarela",
    "indigena": "Indígena",
    "outra": "Outra",
}
ORIGINS = {
    "city": ("", "Cidade", "list"),
    "citizen": ("ok", "Declarado", "person"),
    "staff": ("in", "Por atendente", "person"),
    "crm": ("in", "CRM", "info"),
}
# Maps each member that the record and the CRM account share to its name in the CRM account.
CRM_MEMBERS = {
    "nome": "nome",
    "nome_social": "nome_social",
    "nome_exibicao": "nome_exibicao",
    "nascimento": "data_nascimento",
    "email": "email",
    "telefone": "telefone_principal",
    "endereco": "endereco",
    "escolaridade": "escolaridade",
}
# Actions whose descriptions do not list fields: they concern all of the data, or were denied.
_WHOLE = frozenset({"export", "anonymise", "denied"})
# Actions that can share their fields in one sentence.
_TRANSITIVE = frozenset({"read", "create", "update", "delete"})
_ACTORS = {
    "owner": "A própria pessoa",
    "citizen": "Outro cidadão",
    "staff": "Servidor",
    "client": "Sistema",
    "crm": "CRM",
    "worker": "A plataforma",
    "operator": "Quem opera a plataforma",
}
_CLIENTS = {"painel": "pelo sistema de atendimento", "balcao-platform": "automaticamente"}


class System(NamedTuple):
    """A system that reads personal data without a person: its name, and the purpose of all its reads."""

    name: str
    purpose: str


# The systems of the platform, by the right that allows their reads. Client identifiers differ between cities.
_SYSTEMS = {
    ("client:BALCAO_PLATFORM_CLIENTS", "registry.read_citizen"): System(
        "Sistema de vagas da prefeitura", "para mostrar e conferir as suas candidaturas e o seu currículo"
    ),
}
# The purpose of all accesses by a kind of actor that gives no reasons.
_PURPOSES = {
    "client": "sistema autorizado pela prefeitura",
    "crm": "mudança feita na central de atendimento",
    "worker": "tarefa automática, para concluir o que foi pedido ou manter os dados em dia",
    "operator": "manutenção do sistema, como carregar ou corrigir dados",
}
KINDS = {
    "applications": "candidaturas",
    "audit_events": "trilha de acessos",
    "avatars": "avatar",
    "base_record": "registro da cidade",
    "crm_consents": "consentimentos do CRM",
    "mirrored_fields": "dados declarados e do CRM",
    "outbox": "envios ao CRM à espera",
    "pending_events": "eventos do CRM à espera",
    "pets": "animais registrados pela pessoa",
    "phone_book": "telefones ligados à pessoa",
    "phone_book_entries": "provas de consentimento por telefone",
    "phone_verification": "confirmação de telefone em andamento",
    "preference_history": "provas de consentimento",
    "preferences": "preferências de mensagens",
    "repeatable_answers": "respostas guardadas",
    "resume": "currículo",
    "resume_bank": "apresentação no banco de currículos",
    "resume_links": "links do currículo",
    "resume_root": "currículo",
    "resume_sections": "partes do currículo",
    "settings": "primeiro acesso",
    "staff_departments": "lotação de servidor",
    "terms": "termos aceitos nas vagas",
    "vehicle_links": "condutores e convites",
    "vehicles": "veículos",
    "wordings": "textos que a pessoa escreveu",
}
_CHANNELS = {"email": "e-mail", "whatsapp": "WhatsApp", "sms": "SMS"}
# The reasons that are codes (rules: registry 3.8 and 4.17).
_CHOICE_REASONS = {
    "one_click_unsubscribe": "pelo link de um e-mail para não receber mais",
    "irrelevant_content": "o conteúdo não interessa",
    "not_from_rio": "mora em outra cidade",
    "incorrect_person": "as mensagens eram para outra pessoa",
    "too_many_messages": "mensagens demais",
}
_POSTCODE_AT_END = re.compile(r"\b([0-9]{5})([0-9]{3})$")
ADULT_YEARS = 18


def name_member(name: str) -> str:
    """Return the label for a member of the record. A part of a member has the label of the whole member."""
    return MEMBERS.get(name.partition(".")[0], name)


def show_member(name: str, value: str | None) -> str:
    """Format the value of a member of the record."""
    if name == "nascimento" or not value:
        return format_day(value)
    if name == "telefone":
        return format_phone(value)
    if name == "raca":
        return _ETHNICITIES.get(value, value)
    return _POSTCODE_AT_END.sub(r"\1-\2", value) if name == "endereco" else value


def name_channel(channel: str) -> str:
    """Return the label for a message channel, or its identifier if it is unknown."""
    return _CHANNELS.get(channel.lower(), channel)


def name_kind(kind: str) -> str:
    """Return the label for a kind of data, or its identifier if it has no label."""
    return KINDS.get(kind, kind.replace("_", " "))


def describe_access(access: Access) -> str:
    """Describe what happened to a person's data in one access."""
    return _describe_access_part([access])


def describe_accesses(accesses: Sequence[Access]) -> str:
    """Describe what happened to a person's data during one visit, in chronological order."""
    by_action: dict[str, list[Access]] = {}
    for access in reversed(accesses):
        by_action.setdefault(access.action, []).append(access)
    parts: list[str] = []
    verbs: dict[str, list[str]] = {}  # the verbs with the same object: "Leu e mudou os pedidos"
    for action, same in by_action.items():
        part, verb = _describe_access_part(same), same[0].names.action
        if action in _TRANSITIVE:
            verbs.setdefault(part.removeprefix(verb), []).append(verb)
        else:
            parts.append(part)
    shared = [_join([same[0], *map(lower_first, same[1:])]) + what for what, same in verbs.items()]
    first, *others = shared + parts
    return "; ".join([first, *map(lower_first, others)])


def _describe_access_part(same: Sequence[Access]) -> str:
    """Describe accesses that have the same action."""
    part = same[0].names.action
    if same[0].action in _WHOLE:
        return part
    what = list(dict.fromkeys(field for access in same for field in access.names.fields))
    return f"{part} {_join(what)}" if what else f"{part} dados"


def describe_actor(access: Access) -> str:
    """Describe the actor in words that citizens may see. A member of staff appears only as their department."""
    system = _find_system(access)
    return system.name if system else access.names.actor


def describe_way(access: Access) -> str:
    """Describe the system through which the data was accessed.

    Return "" if the actor is the person themselves, the CRM, the platform or its operator.
    """
    if access.actor_kind in ("owner", "crm", "worker", "operator"):
        return ""
    return _CLIENTS.get(access.actor, f"por {access.actor}")


def describe_grant(access: Access) -> str:
    """Describe the right that allowed the access, for the data protection officer.

    Return "" if there is no such right.
    """
    if access.grant == "vehicle_link":
        return "pelo vínculo com um veículo"
    is_action = ":" in access.grant and not access.grant.startswith("client:")
    return f"pelo direito {access.grant}" if is_action else ""


def name_actor_kind(kind: str) -> str:
    """Describe the kind of an actor."""
    return _ACTORS.get(kind, kind)


def describe_reason(access: Access) -> str:
    """Return the reason for an access, or the fixed purpose of the system that made it.

    Return "" if there is neither, except for staff: their accesses without a reason are marked.
    """
    if access.reason:
        return access.reason
    system = _find_system(access)
    return system.purpose if system else "sem motivo informado" if access.actor_kind == "staff" else ""


def explain_access(access: Access) -> str:
    """Return why an access happened, for the person whose data it is. Return "" only for their own accesses.

    Without a reason or a fixed purpose, return the right that allowed the access or what such accesses are for.
    """
    reason = describe_reason(access)
    if reason or access.actor_kind == "owner":
        return reason
    if access.outcome == "denied":
        return "tentativa recusada, que não mostrou nenhum dado"
    is_named = access.actor_kind == "citizen" or access.grant.startswith("scope:")
    granted = lower_first(access.names.grant or "") if is_named else ""
    return granted or _PURPOSES.get(access.actor_kind, "sem motivo informado")


def _find_system(access: Access) -> System | None:
    return _SYSTEMS.get((access.grant, access.operation)) if access.actor_kind == "client" else None


def describe_choice(choice: Choice) -> str:
    """Return whether a choice accepted or refused messages, in words."""
    return "Aceitou" if choice.new_value else "Recusou"


def describe_choice_reason(choice: Choice) -> str:
    """Return the reason for a choice: the person's own text in quotes, or a label for a reason of the platform.

    Return "" if the ledger contains no reason.
    """
    if not choice.reason:
        return ""
    return _CHOICE_REASONS.get(choice.reason, f"“{choice.reason}”")


def format_day(text: str | None) -> str:
    """Format an ISO 8601 date for people. Return any other string unchanged, and "não consta" for none."""
    try:
        return f"{date.fromisoformat((text or '')[:10]):%d/%m/%Y}"
    except ValueError:
        return text or "não consta"


def count_years(born: str | None, today: date) -> int | None:
    """Return the age in years, or None if there is no valid date of birth."""
    try:
        day = date.fromisoformat(born or "")
    except ValueError:
        return None
    return today.year - day.year - ((today.month, today.day) < (day.month, day.day))


def _join(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} e {parts[-1]}"
