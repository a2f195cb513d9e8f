"""The forms for the health units area."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from wtforms import (
    BooleanField,
    DateField,
    FloatField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import InputRequired, Optional, ValidationError
from wtforms.widgets import CheckboxInput, ListWidget

from balcao.core.values.pasted import compact_pasted
from balcao.core.values.phones import parse_phone
from balcao.panel.health_units.labels import CAUSES, COLORS, SCOPES, TYPES
from balcao.panel.webhooks.forms import WebhookForm
from balcao.web.forms import CodeField, Form, length, matching, needed

_INTERVAL = re.compile(r"([01]?\d|2[0-4])(?:[:h]([0-5]\d)?)?\s*(?:-|–|às|a)\s*([01]?\d|2[0-4])(?:[:h]([0-5]\d)?)?")
# Enough for more intervals than a day has. Parsing a form of text would block the event loop.
_LONGEST_HOURS = 200
_HOURS = "Por exemplo 08:00-12:00, 13:00-17:00."
WEEKDAYS = ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo")


def _format_cep(text: str | None) -> str | None:
    """Format a CEP as the service expects it. Return any other string unchanged."""
    digits = compact_pasted(text or "")
    return f"{digits[:5]}-{digits[5:]}" if len(digits) == 8 else text


def _format_phone(text: str | None) -> str | None:
    """Format a Brazilian phone number as the service expects it. Return any other string unchanged."""
    phone = parse_phone(text or "")
    return text if phone is None or not phone.ddd else f"({phone.ddd}) {phone.valor[:-4]}-{phone.valor[-4:]}"


class CheckboxesField(SelectMultipleField):
    """A multiple selection with a checkbox for each choice."""

    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


def parse_intervals(text: str) -> list[dict[str, str]]:
    """Parse a day's opening hours. Raises ValueError with the first part that is not an interval."""
    found = []
    for part in filter(None, map(str.strip, re.split(r"[,;]|\se\s", text))):
        matched = _INTERVAL.fullmatch(part)
        if matched is None:
            raise ValueError(part)
        hours = [f"{int(matched[hour]):02}:{matched[minute] or '00'}" for hour, minute in ((1, 2), (3, 4))]
        found.append({"inicio": hours[0], "fim": hours[1]})
    return found


def check_intervals(_: Any, field: Any) -> None:
    """Reject text that is too long or cannot be parsed as opening hours."""
    text = field.data or ""
    if len(text) > _LONGEST_HOURS:
        raise ValidationError(f"No máximo {_LONGEST_HOURS} caracteres.")
    try:
        parse_intervals(text)
    except ValueError as fault:
        raise ValidationError(f"Não entendi “{fault}”. {_HOURS}") from None


class _RemarksForm(Form):
    risco = RadioField("Cor", choices={color: color for color in COLORS}, validators=[InputRequired("Escolha a cor.")])
    motivo = TextAreaField(
        "Motivo",
        description="Só a equipe vê. Sem nomes, CPF, telefone ou e-mail de ninguém.",
        validators=[needed("Diga o que aconteceu."), length(3, 1000)],
    )
    ocorrencia = SelectField("Tipo de ocorrência")
    consequencias = CheckboxesField("O que muda na unidade")

    def offer(self, occurrences: Mapping[str, str], consequences: Mapping[str, str]) -> None:
        """Set the selectable occurrences and consequences."""
        self.ocorrencia.choices = {"": "Não informar", **occurrences}
        self.consequencias.choices = dict(consequences)

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the request body."""
        return {
            "risco": self.risco.data,
            "motivo": self.motivo.data or None,
            "ocorrencia": self.ocorrencia.data or None,
            "consequencias": self.consequencias.data or [],
        }


class OpenForm(_RemarksForm):
    """The form for opening a notification."""

    cnes = SelectField("Unidade", validators=[InputRequired("Escolha a unidade.")])


class ChangeForm(_RemarksForm):
    """The form for changing or confirming the colour."""


class CloseForm(Form):
    """The form for closing a notification: the reason, and the final colour that citizens see."""

    causa = RadioField("Por que termina", choices=CAUSES, default="normalizacao")
    risco = SelectField(
        "Última cor que o cidadão vê",
        choices={color: color for color in COLORS},
        default="Verde",
        description="Se foi aberta por engano, o cidadão não vê nada.",
    )
    motivo = TextAreaField(
        "Motivo",
        description="Só a equipe vê. Sem nomes, CPF, telefone ou e-mail de ninguém.",
        validators=[needed("Diga por que termina."), length(3, 1000)],
    )


class UnitForm(Form):
    """The form for a unit's record."""

    cnes = CodeField(
        "CNES",
        description="Sete dígitos.",
        validators=[needed("Escreva o CNES."), matching("[0-9]{7}", "Um CNES tem sete dígitos.")],
    )
    nome = StringField("Nome", validators=[needed("Escreva o nome."), length(1, 200)])
    tipo = SelectField("Tipo", choices=TYPES)
    area = StringField("Área de planejamento", validators=[length(0, 20)])
    bairro = StringField("Bairro", validators=[length(0, 100)])
    logradouro = StringField("Rua", validators=[length(0, 200)])
    numero = StringField("Número", validators=[length(0, 20)])
    complemento = StringField("Complemento", validators=[length(0, 200)])
    cep = StringField("CEP", filters=[_format_cep])
    telefone = StringField("Telefone", description="Com DDD.", filters=[_format_phone])
    celular = StringField("Celular", description="Com DDD.", filters=[_format_phone])
    latitude = FloatField("Latitude", validators=[Optional()])
    longitude = FloatField("Longitude", validators=[Optional()])
    ativa = BooleanField("A unidade funciona", description="Desligada, ela sai das listas do cidadão.", default=True)

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the request body. Empty values are null."""
        return {name: None if value == "" else value for name, value in self.data.items() if name != "cnes"}


class WeekForm(Form):
    """The form for the opening hours of a week, with one line for each day."""

    d1 = StringField(WEEKDAYS[0].capitalize(), validators=[check_intervals])
    d2 = StringField(WEEKDAYS[1].capitalize(), validators=[check_intervals])
    d3 = StringField(WEEKDAYS[2].capitalize(), validators=[check_intervals])
    d4 = StringField(WEEKDAYS[3].capitalize(), validators=[check_intervals])
    d5 = StringField(WEEKDAYS[4].capitalize(), validators=[check_intervals])
    d6 = StringField(WEEKDAYS[5].capitalize(), validators=[check_intervals])
    d7 = StringField(WEEKDAYS[6].capitalize(), validators=[check_intervals])
    abre_feriado = BooleanField("Abre também em feriado")

    members: ClassVar[Mapping[str, str]] = {f"d{day}": f"semana.{day}" for day in range(1, 8)}

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the request body."""
        semana = {str(day): parse_intervals(self[f"d{day}"].data or "") for day in range(1, 8)}
        return {"semana": semana, "abre_feriado": self.abre_feriado.data}


class ExceptionForm(Form):
    """The form for the opening hours of a single day."""

    members: ClassVar[Mapping[str, str]] = {"dia": "data"}

    dia = DateField("Dia", validators=[InputRequired("Escolha o dia.")])
    intervalos = StringField(
        "Horário neste dia", description=f"Vazio: a unidade fecha. {_HOURS}", validators=[check_intervals]
    )
    motivo = StringField(
        "Motivo", description="O cidadão lê este texto.", validators=[needed("Diga o motivo."), length(1, 200)]
    )

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the request body."""
        return {"intervalos": parse_intervals(self.intervalos.data or ""), "motivo": self.motivo.data}


class HolidayForm(Form):
    """The form for a holiday."""

    members: ClassVar[Mapping[str, str]] = {"dia": "data"}

    dia = DateField("Dia", validators=[InputRequired("Escolha o dia.")])
    nome = StringField("Nome", validators=[needed("Escreva o nome."), length(1, 100)])
    ambito = SelectField("De quem é", choices=SCOPES, default="municipal")
    facultativo = BooleanField("É ponto facultativo")
    fecha = BooleanField(
        "As unidades fecham", description="Exceto as que abrem em feriado e as que têm exceção neste dia.", default=True
    )

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the request body."""
        return {name: value for name, value in self.data.items() if name != "dia"}


class UnitsWebhookForm(WebhookForm):
    """The form for a webhook: the address to notify, and the units about which it is notified."""

    members: ClassVar[Mapping[str, str]] = {"description": "descricao", "topics": "unidades", "is_active": "ativo"}

    topics = StringField(
        "Só destas unidades", description="CNES separados por vírgula; vazio: todas.", validators=[length(0, 900)]
    )
