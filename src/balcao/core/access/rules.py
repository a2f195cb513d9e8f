"""Access rules of operations, and the decision whether a caller satisfies a rule.

Every operation declares one rule, and the platform refuses to start if an operation has none. `decide` follows the
steps in rules: access 4.1.
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
# The grant for operations that require only a valid token.
GENERAL_GRANT = "authenticated"
# The only client list for which it is sufficient that the token's `azp` is listed (spec: authentication 6). For all
# other lists, the caller must also be a machine.
WEBHOOK_CLIENTS = "CRM_WEBHOOK_CLIENTS"


@dataclass(frozen=True)
class Rule:
    """The rule of an operation.

    `action` is a code key of the access catalogue. The guards (`owner`, `scopes`, `clients`) let a caller pass without
    the action. `floor` is how far an administrator may loosen the rule: "action", "authenticated" or "public". A
    "fixed" rule can be neither loosened nor tightened.
    """

    action: str
    owner: bool = False
    scopes: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    is_fixed: bool = False

    def __or__(self, other: "Rule") -> "Rule":
        """Return a rule that allows every caller whom either rule allows. At most one of the two may name an action."""
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
        """Return the rule for an action.

        `guard` contains the guards in the form in which the access catalogue stores them.
        """
        words = (guard or "").split()
        scopes, clients = (
            tuple(word.removeprefix(kind) for word in words if word.startswith(kind)) for kind in ("scope:", "client:")
        )
        return cls(action, owner="self" in words, scopes=scopes, clients=clients)

    @property
    def needed(self) -> str | None:
        """The action that every caller must hold. None if callers can pass without it."""
        is_alone = not (self.owner or self.scopes or self.clients or self.action.startswith("platform:"))
        return self.action if is_alone else None

    def testing(self, *actions: str) -> "Rule":
        """Return the rule with further actions.

        The operation checks these itself after it has read the body or the record.
        """
        return replace(self, also=self.also + actions)

    @property
    def guard(self) -> str | None:
        """The guards in the form in which the access catalogue stores them. None without guards."""
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
        """Return the rule as documents show it, in OpenAPI's `x-access-rule`."""
        named = {PUBLIC: "public", AUTHENTICATED: "authenticated", MACHINE: "self" if self.owner else ""}.get(
            self.action
        )
        if named is None:
            named = f"self({self.action})" if self.owner else f"action:{self.action}"
        others = [f"scope:{s}" for s in self.scopes] + [f"client:{c}" for c in self.clients]
        return " or ".join(part for part in [named, *others] if part)


def public() -> Rule:
    """Allow every caller without checking a token."""
    return Rule(PUBLIC)


def authenticated(*, is_fixed: bool = False) -> Rule:
    """Allow every valid token. Administrators cannot change a fixed rule, because the specification sets it."""
    return Rule(AUTHENTICATED, is_fixed=is_fixed)


def action(name: str) -> Rule:
    """Allow callers who hold the action through a role."""
    return Rule(name)


def own(name: str) -> Rule:
    """Allow the person of the path's CPF and callers who hold the action. Documents show this as `self(name)`."""
    return Rule(name, owner=True)


def own_only() -> Rule:
    """Allow only the person of the path's CPF, for acts that no one else may do, such as accepting terms."""
    return Rule(MACHINE, owner=True)


def scope(*names: str) -> Rule:
    """Allow machines whose token has one of the scopes."""
    return Rule(MACHINE, scopes=names)


def client(setting: str) -> Rule:
    """Allow the clients (`azp`) of the named configured list. Except for the webhook's list, only machines pass."""
    return Rule(MACHINE, clients=(setting,))


class Reason(StrEnum):
    """The reason for a decision. Its values are part of the check endpoint and of `explain`, so they are stable."""

    PUBLIC = "public"
    OWNER = "owner"
    SCOPE = "scope"
    CLIENT = "client"
    AUTHENTICATED = "authenticated"
    GRANTED = "granted"
    NOT_GRANTED = "not_granted"
    NO_MAPPING = "no_mapping"
    NO_TOKEN = "no_token"  # noqa: S105 - a value of the API
    INVALID_TOKEN = "invalid_token"  # noqa: S105
    STALE_SNAPSHOT = "stale_snapshot"


_ALLOWING = frozenset({Reason.PUBLIC, Reason.OWNER, Reason.SCOPE, Reason.CLIENT, Reason.AUTHENTICATED, Reason.GRANTED})


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision on a call. `grant` names what allowed it: `self`, the scope, the client list or the action."""

    reason: Reason
    grant: str = ""

    @property
    def allowed(self) -> bool:
        return self.reason in _ALLOWING


class Roles(Protocol):
    """The part of the catalogue's snapshot that a decision needs."""

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
    """Decide on a verified caller for an operation that is not bound to `platform:public`.

    `bound_action` is the code key that the catalogue currently binds to the operation. `owner` is the path's CPF.
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
    """Return the decision of the first guard that allows the caller.

    Except for the list of the webhook, guards allow only machines.
    """
    for name in rule.clients:
        if caller.client in client_lists.get(name, ()) and (caller.is_machine or name == WEBHOOK_CLIENTS):
            return Decision(Reason.CLIENT, f"client:{name}")
    for name in rule.scopes:
        if name in caller.scopes and caller.is_machine:
            return Decision(Reason.SCOPE, f"scope:{name}")
    return None
