"""Find unknown variables with our prefix. This happens at every start, so this module imports only the settings."""

import difflib
from collections.abc import Iterable

import msgspec

from balcao.settings import Settings, variable_of


class UnknownVariable(msgspec.Struct, frozen=True):
    """An unknown variable with our prefix. `meant` is the most similar known name, or None."""

    name: str
    meant: str | None

    def describe(self) -> str:
        """Describe the variable in a sentence for the operator."""
        hint = f": quis dizer {self.meant}?" if self.meant else "."
        return f"{self.name} não é uma configuração e não tem efeito{hint}"


def list_unknown_variables(environment: Iterable[str]) -> list[UnknownVariable]:
    """Return the unknown variables with our prefix, which are usually misspelt settings."""
    known = {variable_of(field) for field in Settings.model_fields}
    unknown = sorted(name for name in environment if name.startswith("BALCAO_") and name not in known)
    return [UnknownVariable(name, next(iter(difflib.get_close_matches(name, known, 1, 0.8)), None)) for name in unknown]
