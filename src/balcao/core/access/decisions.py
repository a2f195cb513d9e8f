"""Decisions on requests by their entries in the catalogue, for the check endpoint and for `explain`.

Our own endpoints already know their operation, so they call `rules.decide`, which makes the same decision.
"""

from collections.abc import Mapping
from functools import lru_cache

from balcao.core.access.caller import Caller
from balcao.core.access.rules import PUBLIC, Decision, Reason, Rule, decide
from balcao.core.access.snapshot import Match, Snapshot
from balcao.core.values.cpf import Cpf

PUBLIC_DECISION = Decision(Reason.PUBLIC, "public")
_KNOWN_RULES = 4096
_rule_of = lru_cache(_KNOWN_RULES)(Rule.with_guard)


def is_public(match: Match) -> bool:
    """Return whether every caller may call the operation, with or without a token."""
    return match.action.key == PUBLIC


def decide_match(
    match: Match, caller: Caller, snapshot: Snapshot, client_lists: Mapping[str, frozenset[str]]
) -> Decision:
    """Decide on a verified caller's request. `match` is its mapping, which must come from the same snapshot."""
    if is_public(match):
        return PUBLIC_DECISION
    owner = Cpf.parse_path(match.values.get("cpf", ""))
    rule = _rule_of(match.action.key, match.mapping.guard)
    return decide(rule, match.action.key, caller, owner, snapshot, client_lists)
