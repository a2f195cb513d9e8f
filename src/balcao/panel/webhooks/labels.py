"""Portuguese terms for failed calls to other systems."""

_FAILURES = {
    "timeout": "não respondeu em 10 segundos",
    "not-reached": "não foi possível chegar ao endereço",
    "address-refused": "o endereço não é da internet pública",
}


def describe_failure(code: str) -> str:
    """Explain why a call to another system failed."""
    return _FAILURES.get(code) or f"respondeu {code.removeprefix('status-')}"
