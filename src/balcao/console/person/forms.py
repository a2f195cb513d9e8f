"""Forms by which a person's data are changed, at the counter and on their own page."""

from collections.abc import Mapping
from typing import ClassVar

from wtforms import BooleanField, HiddenField, StringField
from wtforms.validators import Optional

from balcao.console.forms import Form, length, matching, needed

DIGITS = r"[0-9]+"


class EmailForm(Form):
    members: ClassVar[Mapping[str, str]] = {"email": "valor"}

    email = StringField("E-mail", validators=[needed("Escreva o endereço de e-mail."), length(3, 254)])


class PhoneForm(Form):
    ddi = StringField(
        "País", description="55 para o Brasil.", validators=[needed(), matching(r"\+?[0-9]{1,3}", "Só algarismos.")]
    )
    ddd = StringField("DDD", description="Dois algarismos, no Brasil.", validators=[matching(DIGITS, "Só algarismos.")])
    valor = StringField(
        "Número",
        description="Sem hífen nem espaços. Um código chega a este telefone.",
        validators=[needed("Escreva o número."), matching(DIGITS, "Só algarismos, sem hífen nem espaços.")],
    )


class CodeForm(Form):
    """The code that was sent to the number in the hidden fields."""

    ddi = HiddenField()
    ddd = HiddenField()
    valor = HiddenField()
    code = StringField(
        "Código",
        description="Os 6 algarismos da mensagem. Vale por 10 minutos.",
        validators=[needed("Escreva o código da mensagem."), matching(r"[0-9]{6}", "São 6 algarismos.")],
    )


class AddressForm(Form):
    tipo_logradouro = StringField("Tipo", description="Rua, avenida, praça…", validators=[length(0, 50)])
    logradouro = StringField("Logradouro", validators=[needed("Escreva o nome da rua."), length(1, 200)])
    numero = StringField(
        "Número", description="S/N, se não tem.", validators=[needed("Escreva o número, ou S/N."), length(1, 20)]
    )
    complemento = StringField("Complemento", validators=[length(0, 100)])
    bairro = StringField("Bairro", validators=[length(0, 100)])
    municipio = StringField("Município", validators=[needed("Escreva o município."), length(1, 100)])
    estado = StringField("Estado", validators=[needed("Escreva o estado."), length(1, 50)])
    cep = StringField("CEP", validators=[Optional(), matching(r"[0-9]{5}-?[0-9]{3}", "São 8 algarismos.")])


class PreferencesForm(Form):
    """Beside the categories, which are the city's: their boxes are read from what was posted."""

    opt_in = BooleanField("Aceita receber mensagens da prefeitura")
    reason = StringField(
        "Motivo, se a pessoa disser",
        description="Fica com a escolha, como prova. Sem CPF, telefone ou e-mail.",
        validators=[length(0, 500)],
    )


class EraseForm(Form):
    """Typing the word is for what cannot be undone."""

    confirmation = HiddenField()
    word = StringField(
        "Para confirmar, escreva APAGAR",
        validators=[needed("Escreva APAGAR para confirmar."), matching("(?i)apagar", "Escreva APAGAR.")],
    )
