"""Pydantic's validation messages in Portuguese, for callers and operators."""

import re
from typing import Any

PHRASES = {
    "missing": "campo obrigatório",
    "string_type": "deve ser texto",
    "string_too_short": "deve ter pelo menos {min_length} caractere(s)",
    "string_too_long": "deve ter no máximo {max_length} caracteres",
    "string_pattern_mismatch": "não tem a forma esperada{like}",
    "int_type": "deve ser um número inteiro",
    "int_parsing": "deve ser um número inteiro",
    "int_from_float": "deve ser um número inteiro",
    "float_type": "deve ser um número",
    "float_parsing": "deve ser um número",
    "finite_number": "deve ser um número",
    "bool_type": "deve ser verdadeiro ou falso",
    "bool_parsing": "deve ser verdadeiro ou falso",
    "greater_than_equal": "deve ser maior ou igual a {ge}",
    "less_than_equal": "deve ser menor ou igual a {le}",
    "dict_type": "deve ser um objeto",
    "model_type": "deve ser um objeto",
    "list_type": "deve ser uma lista",
    "too_short": "deve ter pelo menos {min_length} item(ns)",
    "too_long": "deve ter no máximo {max_length} itens",
    "enum": "deve ser um de: {expected}",
    "literal_error": "deve ser um de: {expected}",
    "uuid_type": "deve ser um UUID",
    "uuid_parsing": "deve ser um UUID",
}
# Our own validators raise this type, with messages that are already in Portuguese.
_OWN_ERROR_TYPE = "value_error"


# A length limit that follows one of our validators raises the error type of lists, even for a string. Replace it with
# the error type of strings.
_OF_TEXTS = {"too_short": "string_too_short", "too_long": "string_too_long"}


def name_fault(fault: Any) -> str:
    """Return the type of a pydantic error. A length error of a string gets the type for strings."""
    kind: str = fault["type"]
    return _OF_TEXTS.get(kind, kind) if isinstance(fault.get("input"), str) else kind


def format_example(example: str | None) -> str:
    """Return the part of a message that shows an example, so that readers need no regular expression."""
    return f", como `{example}`" if example else ""


def translate_fault(fault: Any, example: str | None = None) -> str:
    """Return the message for a pydantic error. `example` is a value of the expected form."""
    context = dict(fault.get("ctx", {})) | {"like": format_example(example)}
    if fault["type"] == _OWN_ERROR_TYPE:
        return str(context["error"])
    if "expected" in context:
        context["expected"] = _list_choices(context["expected"])
    return PHRASES.get(name_fault(fault), "valor inválido").format(**context)


def _list_choices(expected: str) -> str:
    """Translate pydantic's list of allowed values, such as `'a', 'b' or 'c'`."""
    return re.sub("'([^']*)'", r"`\1`", expected).replace("` or `", "` ou `")
