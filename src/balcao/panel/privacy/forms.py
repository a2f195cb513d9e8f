"""The forms for the data protection officer."""

from balcao.core.values.cpf import Cpf
from balcao.panel.attendances.forms import ReasonForm
from balcao.web.forms import CodeField, length, needed


class SubjectForm(ReasonForm):
    """The form for selecting a person and giving the reason for reading their data."""

    cpf = CodeField("CPF", description="Com ou sem pontos.", validators=[needed("Escreva o CPF."), length(0, 14)])

    @property
    def number(self) -> Cpf | None:
        """Return the typed CPF without separators, or None if it is not valid."""
        return Cpf.parse_claim((self.cpf.data or "").strip())

    def validate(self, extra_validators: object = None) -> bool:
        """Require a valid CPF."""
        is_sound = super().validate()
        if (self.cpf.data or "").strip() and self.number is None:
            self.cpf.errors = ["Este CPF não é válido: confira os algarismos."]
            return False
        return is_sound
