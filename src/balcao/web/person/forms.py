"""Forms for changing a person's data. The counter and the person's own page use them."""

from collections.abc import Mapping
from typing import ClassVar

from wtforms import BooleanField, HiddenField, StringField
from wtforms.validators import Optional

from balcao.core.values.phones import HOME_DDI, parse_phone
from balcao.web.forms import CodeField, Form, PastedField, length, matching, needed


class EmailForm(Form):
    members: ClassVar[Mapping[str, str]] = {"email": "valor"}

    email = PastedField("E-mail", validators=[needed("Escreva o endereço de e-mail."), length(3, 254)])


class PhoneForm(Form):
    members: ClassVar[Mapping[str, str]] = {"number": "valor"}

    number = PastedField(
        "Telefone",
        description="Com DDD, como (21) 98888-7766; de fora do Brasil, com + e o país. Um código chega a ele.",
        validators=[needed("Escreva o telefone.")],
    )

    @property
    def parts(self) -> dict[str, str]:
        """Return the number in the format that the API expects. Return an empty dict for an invalid number."""
        text = self.number.data or ""
        phone = parse_phone(text)
        # Without a `+`, nine digits are a Brazilian number without its area code, so reject them.
        if phone is None or (phone.ddi != HOME_DDI and not text.startswith("+")):
            return {}
        return {"ddi": phone.ddi, "ddd": phone.ddd, "valor": phone.valor}

    def validate(self, extra_validators: object = None) -> bool:
        """Require a valid phone number with an area code."""
        is_sound = super().validate()
        if is_sound and (not self.parts or self.parts["ddd"][:1] == "0"):
            self.number.errors = ["Escreva o telefone com DDD; de fora do Brasil, com + e o código do país."]
            return False
        return is_sound


class CodeForm(Form):
    """The form for the code that was sent by message. Its hidden fields contain the number."""

    ddi = HiddenField()
    ddd = HiddenField()
    valor = HiddenField()
    code = CodeField(
        "Código",
        description="Os 6 algarismos da mensagem. Vale por 10 minutos.",
        validators=[needed("Escreva o código da mensagem."), matching(r"[0-9]{6}", "São 6 algarismos.")],
    )


class AddressForm(Form):
    tipo_logradouro = StringField("Tipo (opcional)", description="Rua, avenida, praça…", validators=[length(0, 50)])
    logradouro = StringField("Logradouro", validators=[needed("Escreva o nome da rua."), length(1, 200)])
    numero = StringField(
        "Número", description="S/N, se não tem.", validators=[needed("Escreva o número, ou S/N."), length(1, 20)]
    )
    complemento = StringField("Complemento (opcional)", validators=[length(0, 100)])
    bairro = StringField("Bairro (opcional)", validators=[length(0, 100)])
    municipio = StringField("Município", validators=[needed("Escreva o município."), length(1, 100)])
    estado = StringField("Estado", validators=[needed("Escreva o estado."), length(1, 50)])
    cep = CodeField("CEP (opcional)", validators=[Optional(), matching(r"[0-9]{8}", "São 8 algarismos.")])


class PreferencesForm(Form):
    """The form for preferences.

    It has no fields for the categories, because the city defines them. Their checkboxes are read from the submitted
    form.
    """

    opt_in = BooleanField("Aceita receber mensagens da prefeitura")
    reason = StringField(
        "Motivo, se a pessoa disser",
        description="Fica com a escolha, como prova. Sem CPF, telefone ou e-mail.",
        validators=[length(0, 500)],
    )


class EraseForm(Form):
    """The form for confirming an erasure. The person must type a word, because an erasure cannot be undone."""

    confirmation = HiddenField()
    word = StringField(
        "Para confirmar, escreva APAGAR",
        validators=[needed("Escreva APAGAR para confirmar."), matching("(?i)apagar", "Escreva APAGAR.")],
    )
