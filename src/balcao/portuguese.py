"""The validation messages of pydantic in Portuguese, for callers and operators alike."""

from typing import Any

PHRASES = {
    "missing": "campo obrigatório",
    "string_type": "deve ser texto",
    "string_too_short": "deve ter pelo menos {min_length} caractere(s)",
    "string_too_long": "deve ter no máximo {max_length} caracteres",
    "string_pattern_mismatch": "não tem a forma esperada ({pattern})",
    "int_type": "deve ser um número inteiro",
    "int_parsing": "deve ser um número inteiro",
    "int_from_float": "deve ser um número inteiro",
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
}


def translate_fault(fault: Any) -> str:
    """Return the text of one of pydantic's faults; the messages of our own validators are Portuguese already."""
    phrase = PHRASES.get(fault["type"])
    if phrase is None:
        return str(fault.get("ctx", {}).get("error", "valor inválido"))
    return phrase.format(**fault.get("ctx", {}))
