"""Portuguese terms for the access administration."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from balcao.panel.access.client import Way
from balcao.panel.rights import describe_right, show_given

REACH_KEYS = {"area": "áreas", "go:orgao": "órgãos", "manages": "pessoas dos grupos"}
SOURCES = {"token": "pelo login", "direct": "dado diretamente", "group": "por um grupo"}
SERVICES = {
    "access": "Acessos",
    "agents": "Agentes",
    "agent_docs": "Descrição dos agentes",
    "employability": "Trabalho",
    "health_units": "Unidades de saúde",
    "registry": "Registro do cidadão",
    "search": "Busca e catálogo",
}
KINDS = {
    "action": "ação",
    "role": "papel",
    "group": "grupo",
    "mapping": "endereço",
    "binding": "operação religada",
}
OBSTACLES = {
    "name_taken": "outra ação já tem este nome",
    "reserved": "a ação é da própria plataforma",
    "system_mappings": "há operações da plataforma ligadas a ela: ligue-as antes a outra ação",
    "custom_mappings": "há endereços da cidade ligados a ela",
    "grants": "há papéis que a dão",
}
EVENTS = {
    "action.create": "criou a ação",
    "action.update": "mudou a ação",
    "action.delete": "excluiu a ação",
    "action.holders": "leu quem tem a ação",
    "mapping.create": "mapeou o endereço",
    "mapping.update": "mudou o endereço",
    "mapping.delete": "excluiu o endereço",
    "role.create": "criou o papel",
    "role.update": "mudou o papel",
    "role.delete": "excluiu o papel",
    "role.grant": "deu uma ação ao papel",
    "role.revoke": "tirou uma ação do papel",
    "group.create": "criou o grupo",
    "group.update": "mudou o grupo",
    "group.delete": "excluiu o grupo",
    "group.add_member": "incluiu alguém no grupo",
    "group.remove_member": "retirou alguém do grupo",
    "group.assign_role": "deu um papel ao grupo",
    "group.remove_role": "tirou um papel do grupo",
    "group.read_members": "leu as pessoas do grupo",
    "user.assign_role": "deu um papel a uma pessoa",
    "user.remove_role": "tirou um papel de uma pessoa",
    "user.delete": "excluiu uma pessoa do catálogo",
    "user.list": "leu a lista de pessoas",
    "user.read": "leu os acessos de uma pessoa",
    "user.read_roles": "leu os papéis de uma pessoa",
    "user.read_actions": "leu o que uma pessoa pode fazer",
    "decision.explain": "perguntou o que uma pessoa pode fazer",
    "catalogue.apply": "aplicou um documento",
    "registration.sync": "registrou operações de uma versão da plataforma",
}
# The reasons why a request is allowed or refused.
REASONS = {
    "public": "A operação é aberta a todos.",
    "no_token": "É preciso entrar: nenhuma chamada sem login passa.",
    "invalid_token": "O login apresentado não vale.",
    "stale_snapshot": "As regras de acesso não puderam ser confirmadas nos últimos minutos.",
    "owner": "Os dados são da própria pessoa.",
    "scope": "O sistema que chama tem permissão para isto.",
    "client": "O sistema que chama está na lista dos que podem.",
    "authenticated": "Basta ter entrado.",
    "granted": "Um papel dá o direito.",
    "not_granted": "Nenhum papel dá o direito.",
    "no_mapping": "Nenhuma operação atende este endereço.",
}


def mask_cpf(cpf: str) -> str:
    """Return a masked CPF for lists."""
    return f"***.{cpf[3:6]}.{cpf[6:9]}-**" if len(cpf) == 11 else cpf


def name_person(name: str | None, cpf: str) -> str:
    """Return a person's name. For a person who has never logged in, return a phrase with the masked CPF."""
    return name or f"pessoa de CPF {mask_cpf(cpf)}"


def describe_reach(reach: Mapping[str, list[str]] | None) -> str | Markup:
    """Describe the reach of a right."""
    if not reach:
        return "toda a cidade"
    return Markup("; ").join(
        Markup("{}: {}").format(REACH_KEYS.get(key, key), show_given(values) or "nenhum")
        for key, values in reach.items()
    )


def describe_way(way: Way) -> Markup:
    """Describe through which role a person has a right, and how the person has the role."""
    if way.group:
        return Markup("papel {}, do grupo {}").format(show_given(way.role), show_given(way.group))
    return Markup("papel {}, {}").format(show_given(way.role), SOURCES.get(way.source, way.source))


def describe_ways(ways: Iterable[Way]) -> Markup:
    """Describe all the ways in which a person has a right."""
    return Markup("; ").join(map(describe_way, ways))


def name_service(service: str | None) -> str:
    """Return a service's name. `service` is None for another city application."""
    return SERVICES.get(service, service) if service else "outra aplicação"


def describe_value(value: Any) -> str:
    """Describe a value from a plan or an event in words."""
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, dict):
        return "; ".join(f"{REACH_KEYS.get(name, name)}: {describe_value(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(describe_value(one) for one in value)
    if isinstance(value, bool):
        return "sim" if value else "não"
    return describe_right(str(value))


MEMBERS = {
    "name": "nome",
    "description": "descrição",
    "actions": "ações",
    "roles": "papéis",
    "attributes": "limites",
    "path": "endereço",
    "path_pattern": "endereço",
    "action": "ação",
    "method": "método",
    "people": "pessoas",
    "members": "pessoas",
    "mappings": "endereços",
    "role": "papel",
}


def list_changes(before: Any, after: Any) -> list[tuple[str, str, str]]:
    """Return (member, old value, new value) in words for each difference between two states."""
    old, new = before if isinstance(before, dict) else {}, after if isinstance(after, dict) else {}
    names = [name for name in MEMBERS if name in old or name in new]
    found = []
    for name in names:
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        if isinstance(was, list) and isinstance(now, list):  # in lists, show only the removed and added items
            was, now = [one for one in was if one not in now], [one for one in now if one not in was]
        found.append((MEMBERS[name], describe_value(was), describe_value(now)))
    return found


def describe_obstacles(codes: Sequence[str]) -> str:
    """Describe the obstacles that prevent a change."""
    return "; ".join(OBSTACLES.get(code, code) for code in codes)


def name_actor(actor: Mapping[str, Any]) -> str:
    """Return the display name of the actor who made a change: a person, a client, or the platform itself."""
    name = str(actor.get("display_name") or actor.get("azp") or "–")
    return {"operator": "Operação da plataforma", "system": "A plataforma"}.get(name, name)
