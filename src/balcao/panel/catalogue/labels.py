"""Portuguese terms for the states, kinds of versions and fields of a service."""

from typing import NamedTuple

from balcao.core.values.costs_and_deadlines import FREE, IMMEDIATE, UNITS
from balcao.panel.catalogue.client import Summary, Version


class State(NamedTuple):
    """How a tag shows a state: its kind, text and symbol."""

    kind: str
    text: str
    symbol: str


IN_EDITION = State("", "Em edição", "pen")
AWAITING = State("at", "Espera aprovação", "clock")
PUBLISHED = State("ok", "Publicado", "check")

# The names of the two built-in legacy systems. Pages show other systems by their identifiers.
SOURCES = {"1746_v2_llm": "Central 1746", "carioca-digital_v2_llm": "Carioca Digital"}
FIELDS = {
    "nome_servico": "Nome",
    "orgao_gestor": "Órgãos responsáveis",
    "resumo": "Resumo",
    "custo": "Quanto custa",
    "custo_servico": "Custo em palavras",
    "prazo": "Quanto demora",
    "tempo_atendimento": "Prazo em palavras",
    "resultado_solicitacao": "O que a pessoa recebe",
    "descricao_completa": "Descrição completa",
    "documentos_necessarios": "Documentos necessários",
    "instrucoes_solicitante": "Como pedir",
    "canais_digitais": "Canais digitais",
    "canais_presenciais": "Onde ser atendido",
    "servico_nao_cobre": "O que o serviço não cobre",
    "legislacao_relacionada": "Legislação",
    "tema_geral": "Tema",
    "sub_categoria": "Subtema",
    "publico_especifico": "Para quem é",
    "fixar_destaque": "Em destaque",
    "awaiting_approval": "Espera aprovação",
    "published_at": "Publicado em",
    "is_free": "É gratuito",
    "agents": "Assistentes virtuais",
    "exclusive_for_agents": "Só para assistentes virtuais",
    "tool_hint": "Dica para assistentes virtuais",
    "extra_fields": "Campos livres",
    "status": "Situação",
    "buttons": "Botões",
    "autor": "Quem criou",
}
# The fields of the form, in which the cost and the deadline are divided.
FORM_FIELDS = FIELDS | {
    "custo_tipo": "Quanto custa",
    "custo_valor": "Valor em reais",
    "custo_valor_maximo": "Até quanto, em reais",
    "custo_isencao": "Quem não paga",
    "prazo_unidade": "Quanto demora",
    "prazo_quantidade": "Quanto tempo, no máximo",
}
# The fields with fixed choices, and what the form calls each choice.
CHOICES: dict[str, dict[str, str]] = {
    "custo_tipo": {
        "": "Não informado",
        FREE: "Gratuito",
        "fixo": "Um valor fixo",
        "a_partir_de": "A partir de um valor",
        "faixa": "De um valor a outro",
        "variavel": "Varia conforme o caso",
        "pago": "Pago, sem informar o valor",
    },
    "prazo_unidade": {"": "Não informado", IMMEDIATE: "Na hora"}
    | {unit: f"Em {many}" for unit, (_, many) in UNITS.items()},
}
# The fields that describe a service's editorial state rather than its text.
STATE_FIELDS = frozenset({"status", "awaiting_approval", "published_at"})

_KINDS = {
    "create": "Criada",
    "update": "Texto",
    "publish": "Publicada",
    "unpublish": "Tirada do ar",
    "delete": "Excluída",
    "rollback": "Volta a uma versão anterior",
}
RUNS = {
    "idle": State("", "nenhuma até hoje", "pause"),
    "in_progress": State("in", "em andamento", "clock"),
    "completed": State("ok", "concluída", "check"),
    "failed": State("no", "falhou", "x"),
    "rollback": State("at", "revertida", "again"),
}
PHASES = {
    "preparing": "preparando",
    "back_fill": "copiando os serviços",
    "indexing": "indexando",
    "verifying": "conferindo serviço por serviço",
    "switching": "trocando",
    "done": "pronta",
}


# Why the service that a control query should find is not the first result.
CAUSES = {
    "not_public": "os cidadãos não podem achar o serviço certo: saiu do ar, foi excluído ou é só para assistentes",
    "found_nothing": "a busca nada acha",
    "not_found": "a busca acha outros serviços, e não o certo",
    "ranked_lower": "outros serviços vêm antes",
}


def name_state(service: "Summary | object") -> State:
    """Return the editorial state of an object with `status` and `awaiting_approval`."""
    if getattr(service, "status") == 1:  # noqa: B009 - services, summaries and versions alike
        return PUBLISHED
    return AWAITING if getattr(service, "awaiting_approval") else IN_EDITION  # noqa: B009


def name_fields(names: list[str]) -> str:
    """Return the names of the changed text fields, or an empty string if only the editorial state has changed."""
    return ", ".join(FIELDS.get(name, name) for name in names if name not in STATE_FIELDS)


def name_version(version: Version) -> str:
    """Describe a version's change in a few words."""
    if version.rollback_to_version is not None:
        return f"Volta à versão {version.rollback_to_version}"
    if version.proposed_by is not None:
        return f"Proposta de {version.proposed_by}"
    if version.change_type == "update" and "awaiting_approval" in version.changed_fields:
        return "Enviada para aprovação" if version.awaiting_approval else "Devolvida para edição"
    return _KINDS.get(version.change_type, version.change_type)


def name_choice(name: str, value: str) -> str:
    """Return what the form calls a value of a field with fixed choices, and any other value unchanged."""
    return CHOICES.get(name, {}).get(value, value)
