"""Forms of the operation."""

from wtforms import DateTimeLocalField, StringField
from wtforms.validators import InputRequired

from balcao.console.forms import Form, length, needed


class DropForm(Form):
    """Why a job is not done any more."""

    reason = StringField(
        "Motivo",
        description="Fica na trilha de auditoria com o seu nome. Sem CPF, telefone ou e-mail de ninguém.",
        validators=[needed("Diga por que ninguém mais deve fazer esta tarefa."), length(3, 200)],
    )


class ReconcileForm(Form):
    """Since when the CRM is read anew."""

    since = DateTimeLocalField(
        "Quem mudou no CRM desde",
        description="Data e hora da cidade. O que o registro já sabe não muda.",
        validators=[InputRequired("Escolha uma data e uma hora.")],
    )
