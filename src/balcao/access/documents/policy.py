"""Writes a role as a policy for Cerbos, another policy engine (rules: access 2.5)."""

from collections.abc import Iterable
from itertools import groupby

from balcao.access.documents.schemas import PolicyRule, PolicyTemplate, RolePolicy


def render_policy(role: str, actions: Iterable[str]) -> PolicyTemplate:
    """Return the policy of a role with these actions. The last part of an action's name is the verb."""
    named = sorted((resource, verb) for resource, _, verb in (action.rpartition(":") for action in actions))
    rules = [
        PolicyRule(resource, [verb for _, verb in group])
        for resource, group in groupby(named, key=lambda pair: pair[0])
    ]
    return PolicyTemplate("api.cerbos.dev/v1", "RolePolicy", RolePolicy(role, "", rules))
