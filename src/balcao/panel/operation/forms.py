"""The forms for the operation area."""

from datetime import datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from wtforms import DateTimeLocalField, IntegerField, SelectField, StringField
from wtforms.validators import InputRequired, NumberRange, Optional

from balcao.web.forms import Form, length, list_choices, needed

_HOURS = [
    ("30", "30 minutos"),
    ("60", "1 hora"),
    ("120", "2 horas"),
    ("240", "4 horas"),
    ("480", "8 horas"),
    ("1440", "1 dia"),
]
_DAYS = [*_HOURS, ("2880", "2 dias"), ("10080", "1 semana")]
_REASON = "Fica na trilha de auditoria com o seu nome. Sem CPF, telefone ou e-mail de ninguém."


class DropForm(Form):
    """The form for the reason for dropping a job."""

    reason = StringField(
        "Motivo",
        description=_REASON,
        validators=[needed("Diga por que ninguém mais deve fazer esta tarefa."), length(3, 200)],
    )


class ReconcileForm(Form):
    """The form for a reconciliation, which reads changes in the CRM since the typed time again."""

    since = DateTimeLocalField(
        "Quem mudou no CRM desde",
        description="Data e hora da cidade. O que o registro já tem não muda.",
        validators=[InputRequired("Escolha uma data e uma hora.")],
    )


class LimitForm(Form):
    """The form for a temporary rate. It has two fields, but the service has a single member for amount and period."""

    members: ClassVar = {"amount": "rate"}

    amount = IntegerField(
        "Quantas vezes",
        description="De um décimo a dez vezes o configurado.",
        validators=[needed("Diga quantas vezes."), NumberRange(1, 10_000_000, "Um número de 1 para cima.")],
    )
    period = SelectField("Por", choices=list_choices([("second", "segundo"), ("minute", "minuto")]), default="second")
    minutes = SelectField(
        "Durante", description="Depois volta a valer o configurado.", choices=list_choices(_HOURS), default="60"
    )
    reason = StringField(
        "Motivo", description=_REASON, validators=[needed("Diga por que o limite muda."), length(3, 150)]
    )

    @property
    def rate(self) -> str:
        """Return the rate in the format that the service expects."""
        return f"{self.amount.data}/{self.period.data}"

    @property
    def body(self) -> dict[str, Any]:
        """Return the request body."""
        return {"rate": self.rate, "minutes": int(self.minutes.data), "reason": self.reason.data}


class MaintenanceForm(Form):
    """The form for putting a service into maintenance for a limited time, starting now or later."""

    service = SelectField("Serviço", validators=[needed("Escolha o serviço.")], validate_choice=False)
    message = StringField(
        "Frase para quem chama",
        description="Qualquer pessoa a lê: diga o que está parado e quando volta.",
        default="Serviço em manutenção. Tente de novo mais tarde.",
        validators=[needed("Diga o que as pessoas devem ler."), length(1, 300)],
    )
    begins_at = DateTimeLocalField(
        "Começa",
        description="Data e hora da cidade; a página de estado anuncia. Em branco: agora.",
        validators=[Optional()],
    )
    minutes = SelectField(
        "Durante", description="Depois o serviço volta sozinho.", choices=list_choices(_DAYS), default="60"
    )
    reason = StringField(
        "Motivo", description=_REASON, validators=[needed("Diga por que o serviço para."), length(3, 150)]
    )

    def find_begin(self, zone: ZoneInfo) -> datetime | None:
        """Return the typed start in the city's time zone, or None for now."""
        typed: datetime | None = self.begins_at.data
        return typed and typed.replace(tzinfo=zone)

    def make_body(self, zone: ZoneInfo) -> dict[str, Any]:
        """Return the request body."""
        begins_at = self.find_begin(zone)
        return {
            "message": self.message.data,
            "minutes": int(self.minutes.data),
            "reason": self.reason.data,
            "begins_at": begins_at and begins_at.isoformat(),
        }
