"""Explains in plain words who may call an operation."""

import re

_PART = re.compile(r"(?P<kind>\w+)(?:[(:](?P<name>[^)]+)\)?)?")
_WORDS = {
    "pt-BR": {
        "public": "qualquer um, sem token",
        "authenticated": "quem tem um token",
        "self": "a própria pessoa",
        "self+": "a própria pessoa, ou quem tem a ação `{name}`",
        "action": "quem tem a ação `{name}`",
        "scope": "um sistema com o escopo `{name}`",
        "client": "os clientes da configuração `{name}`",
        "or": "; ou ",
    },
    "en": {
        "public": "any caller, without a token",
        "authenticated": "any caller with a token",
        "self": "the person concerned",
        "self+": "the person concerned, or a caller with the action `{name}`",
        "action": "a caller with the action `{name}`",
        "scope": "a system with the scope `{name}`",
        "client": "the clients of the setting `{name}`",
        "or": "; or ",
    },
}


def explain_rule(rule: str, language: str) -> str:
    """Explain a rule such as `self(pets:read) or scope:smf:read` in plain words."""
    words = _WORDS[language]
    parts = [_PART.fullmatch(part) for part in rule.split(" or ")]
    named = [(part["kind"], part["name"]) for part in parts if part]
    return words["or"].join(
        words["self+" if kind == "self" and name else kind].format(name=name) for kind, name in named
    )
