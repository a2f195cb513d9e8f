"""What an operation demands of its caller, and the one decision that is taken on it.

Every operation declares one rule; boot fails on an operation without. The steps of `decide` are those of
rules: access 4.1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from balcao.core.access.caller import Caller
from balcao.core.values.cpf import Cpf

PUBLIC = "platform:public"
AUTHENTICATED = "platform:authenticated"
MACHINE = "platform:machine"
# What let a caller pass whom any valid token lets pass.
GENERAL_GRANT = "authenticated"
# The one list that is asked for `azp` and nothing else (spec: authentication 6); all others speak for machines only.
WEBHOOK_CLIENTS = "CRM_WEBHOOK_CLIENTS"


@dataclass(frozen=True)
class Rule:
    """`action` is a code key of the access catalogue; the guards let a caller pass without holding it.

    `floor` says how far an administrator may loosen it: "action", "authenticated" or "public"; "fixed" is neither
    loosened nor tightened.
    """

    action: str
    owner: bool = False
    scopes: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    is_fixed: bool = False

    def __or__(self, other: "Rule") -> "Rule":
        """Return the rule that lets a caller pass who passes either. At most one side names an action of its own."""
        action = other.action if self.action in {MACHINE, AUTHENTICATED} and other.action != MACHINE else self.action
        return Rule(
            action,
            self.owner or other.owner,
            self.scopes + other.scopes,
            self.clients + other.clients,
            self.also + other.also,
        )

    @classmethod
    def with_guard(cls, action: str, guard: str | None) -> "Rule":
        """Return the rule of an action and of guards as the access catalogue stores them."""
        words = (guard or "").split()
        scopes, clients = (
            tuple(word.removeprefix(kind) for word in words if word.startswith(kind)) for kind in ("scope:", "client:")
        )
        return cls(action, owner="self" in words, scopes=scopes, clients=clients)

    @property
    def needed(self) -> str | None:
        """Return the action that every caller must hold; None where something else lets them pass as well."""
        is_alone = not (self.owner or self.scopes or self.clients or self.action.startswith("platform:"))
        return self.action if is_alone else None

    def testing(self, *actions: str) -> "Rule":
        """Return the rule with further actions, which the operation tests itself once it has read body or record."""
        return replace(self, also=self.also + actions)

    @property
    def guard(self) -> str | None:
        """Return the guards as the access catalogue stores them."""
        guards = (["self"] if self.owner else []) + [f"scope:{s}" for s in self.scopes]
        return " ".join(guards + [f"client:{c}" for c in self.clients]) or None

    @property
    def floor(self) -> str:
        if self.is_fixed:
            return "fixed"
        if self.action == PUBLIC:
            return "public"
        return "authenticated" if self.action == AUTHENTICATED else "action"

    def __str__(self) -> str:
        """Return the rule as the documents write it, for OpenAPI's `x-access-rule`."""
        named = {PUBLIC: "public", AUTHENTICATED: "authenticated", MACHINE: "self" if self.owner else ""}.get(
            self.action
        )
        if named is None:
            named = f"self({self.action})" if self.owner else f"action:{self.action}"
        others = [f"scope:{s}" for s in self.scopes] + [f"client:{c}" for c in self.clients]
        return " or ".join(part for part in [named, *others] if part)


def public() -> Rule:
    """Let anyone pass; a token is not looked at."""
    return Rule(PUBLIC)


def authenticated(*, is_fixed: bool = False) -> Rule:
    """Let every valid token pass; a fixed rule is one that the specification leaves no administrator to change."""
    return Rule(AUTHENTICATED, is_fixed=is_fixed)


def action(name: str) -> Rule:
    """Let pass who holds the action by a role."""
    return Rule(name)


def own(name: str) -> Rule:
    """Let pass whose CPF is that of the path, and who holds the action: `self(name)` of the documents."""
    return Rule(name, owner=True)


def own_alone() -> Rule:
    """Let pass whose CPF is that of the path, and nobody else: what a person alone can say, such as an acceptance."""
    return Rule(MACHINE, owner=True)


def scope(*names: str) -> Rule:
    """Let pass a machine whose token has one of the scopes."""
    return Rule(MACHINE, scopes=names)


def client(setting: str) -> Rule:
    """Let pass the clients (`azp`) of the configured list of that name; machines only, but for the webhook's list."""
    return Rule(MACHINE, clients=(setting,))


class Reason(StrEnum):
    """Why a caller was let pass or not; stable words of the check endpoint and of `explain`."""

    PUBLIC = "public"
    OWNER = "owner"
    SCOPE = "scope"
    CLIENT = "client"
    AUTHENTICATED = "authenticated"
    GRANTED = "granted"
    NOT_GRANTED = "not_granted"
    NO_MAPPING = "no_mapping"
    NO_TOKEN = "no_token"  # noqa: S105 - a word of the documents
    INVALID_TOKEN = "invalid_token"  # noqa: S105
    STALE_SNAPSHOT = "stale_snapshot"


_ALLOWING = frozenset({Reason.PUBLIC, Reason.OWNER, Reason.SCOPE, Reason.CLIENT, Reason.AUTHENTICATED, Reason.GRANTED})


@dataclass(frozen=True, slots=True)
class Decision:
    """`grant` names what let the caller pass: `self`, the scope, the client list or the action."""

    reason: Reason
    grant: str = ""

    @property
    def allowed(self) -> bool:
        return self.reason in _ALLOWING


class Roles(Protocol):
    """What a decision asks of the catalogue's snapshot."""

    def grants(self, caller: Caller, action: str) -> bool:
        """Return whether one of the caller's roles grants the action."""
        ...


def decide(
    rule: Rule,
    bound_action: str,
    caller: Caller,
    owner: Cpf | None,
    roles: Roles,
    client_lists: Mapping[str, frozenset[str]],
) -> Decision:
    """Decide for a verified caller on an operation that is not bound to `platform:public`.

    `bound_action` is the code key that the catalogue binds to the operation now; `owner` the path's CPF.
    """
    if rule.owner and owner is not None and owner == caller.cpf:
        return Decision(Reason.OWNER, "self")
    if decision := _check_guards(rule, caller, client_lists):
        return decision
    if bound_action == AUTHENTICATED and (caller.cpf is not None or not rule.scopes):
        return Decision(Reason.AUTHENTICATED, GENERAL_GRANT)
    if bound_action != MACHINE and roles.grants(caller, bound_action):
        return Decision(Reason.GRANTED, bound_action)
    return Decision(Reason.NOT_GRANTED)


def _check_guards(rule: Rule, caller: Caller, client_lists: Mapping[str, frozenset[str]]) -> Decision | None:
    """Return the decision of the first guard that lets the caller pass; but for the webhook, machines only."""
    for name in rule.clients:
        if caller.client in client_lists.get(name, ()) and (caller.is_machine or name == WEBHOOK_CLIENTS):
            return Decision(Reason.CLIENT, f"client:{name}")
    for name in rule.scopes:
        if name in caller.scopes and caller.is_machine:
            return Decision(Reason.SCOPE, f"scope:{name}")
    return None
