"""The forms for the counter."""

from datetime import date

from wtforms import DateField, HiddenField, StringField
from wtforms.validators import Optional

from balcao.core.values.cpf import Cpf
from balcao.panel.attendances.forms import ReasonForm
from balcao.web.forms import CodeField, Form, PastedField, length, matching, needed


class AttendanceForm(ReasonForm):
    """The form for finding the citizen to attend, by CPF or by other data."""

    cpf = CodeField("CPF", description="Com ou sem pontos.", validators=[length(0, 14)])
    name = StringField("Nome", description="O primeiro nome e ao menos mais um.", validators=[length(0, 255)])
    birth_date = DateField("Nascimento", validators=[Optional()])
    protocol = PastedField("Protocolo de um chamado", validators=[length(0, 50)])
    phone = PastedField("Telefone", description="Com DDD.", validators=[length(0, 25)])

    @property
    def number(self) -> Cpf | None:
        """Return the typed CPF without separators, or None if it is not valid."""
        return Cpf.parse_claim((self.cpf.data or "").strip())

    @property
    def search_terms(self) -> dict[str, str]:
        """Return the search terms that replace a CPF."""
        born: date | None = self.birth_date.data
        typed = {"name": self.name.data, "protocol": self.protocol.data, "phone": self.phone.data}
        found = {name: text.strip() for name, text in typed.items() if text and text.strip()}
        return found | ({"birth_date": born.isoformat()} if born else {})

    def validate(self, extra_validators: object = None) -> bool:
        """Require a CPF or another search term, and reject an invalid CPF."""
        is_sound = super().validate()
        if (self.cpf.data or "").strip():
            if self.number is None:
                self.cpf.errors = ["Este CPF não é válido: confira os algarismos."]
                return False
        elif not self.search_terms:
            self.cpf.errors = ["Escreva o CPF, ou procure de outra forma abaixo."]
            return False
        return is_sound


class ChoiceForm(Form):
    """The form for selecting one of the people that the search found."""

    handle = HiddenField()
    words = HiddenField()


class PhoneForm(Form):
    number = PastedField(
        "Telefone",
        description="Com DDD; de fora do Brasil, com + e o código do país.",
        validators=[needed("Escreva o telefone."), matching(r"[-+(). 0-9]{8,25}", "Escreva só o número, com DDD.")],
    )
    reason = StringField(
        "Motivo",
        description="Se o número é de alguém, a pessoa lerá isto. Sem CPF, telefone ou e-mail.",
        validators=[needed("Diga por que precisa saber de quem é."), length(3, 200)],
    )

    @property
    def digits(self) -> str:
        """Return the number in the format that the API expects."""
        return "".join(sign for sign in self.number.data or "" if sign.isdigit() or sign == "+")
