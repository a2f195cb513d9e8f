"""Write the message for a denied call: the missing right and, for staff, roles that grant it (rules: access 4.1)."""

from balcao.core.access.caller import Caller
from balcao.core.access.rules import AUTHENTICATED, MACHINE, Rule
from balcao.core.access.snapshot import Snapshot

MOST_ROLES = 3
_BEGINNING = "Sem permissão para esta operação: "


def describe_refusal(snapshot: Snapshot, rule: Rule, bound_action: str, caller: Caller) -> str:
    """Return why the rule denies the caller, and what would allow the call."""
    if bound_action not in {MACHINE, AUTHENTICATED}:
        return describe_missing(snapshot, caller, bound_action, or_owner=rule.owner)
    if rule.owner:
        return f"{_BEGINNING}só a própria pessoa pode fazer isto, e o CPF do caminho não é o do seu token."
    if rule.scopes:
        scopes = " ou ".join(f"`{scope}`" for scope in rule.scopes)
        return f"{_BEGINNING}falta o escopo {scopes}, que o provedor de identidade dá ao cliente de um sistema."
    return f"{_BEGINNING}ela é dos sistemas que a configuração da plataforma nomeia."


def describe_missing(snapshot: Snapshot, caller: Caller, *actions: str, or_owner: bool = False) -> str:
    """Return a message that names these actions. Any of them would allow the call.

    A caller who already has a role is staff, and is also told which roles grant the actions. For other callers, the
    list would only reveal how the city is organised.
    """
    names = " ou ".join(f"`{_find_name(snapshot, action)}`" for action in actions)
    owner = "só a própria pessoa, ou quem tem a ação, pode fazer isto; " if or_owner else ""
    text = f"{_BEGINNING}{owner}falta a ação {names}."
    if next(snapshot.list_ways(caller), None) is None:
        return text
    return f"{text} {_describe_roles(snapshot, actions)} Quem administra os acessos pode concedê-la."


def _find_name(snapshot: Snapshot, key: str) -> str:
    """Return the current name of an action."""
    return next((action.name for action in snapshot.actions.values() if action.key == key), key)


def _describe_roles(snapshot: Snapshot, actions: tuple[str, ...]) -> str:
    """Return a Portuguese sentence that names up to `MOST_ROLES` roles that grant one of the actions.

    Administrative roles are omitted, because they grant everything.
    """
    roles = sorted(
        role.name
        for role in snapshot.roles.values()
        if not role.administrative and not role.actions.isdisjoint(actions)
    )
    if not roles:
        return "Nenhum papel a dá ainda."
    shown = ", ".join(f"`{name}`" for name in roles[:MOST_ROLES])
    more = f" e mais {len(roles) - MOST_ROLES}" if len(roles) > MOST_ROLES else ""
    return f"Papéis que a dão: {shown}{more}."
