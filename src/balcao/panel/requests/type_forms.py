"""The form for a request type with its questions."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import wtforms
from markupsafe import Markup
from wtforms import BooleanField, FieldList, FormField, HiddenField, IntegerField, StringField, TextAreaField
from wtforms.validators import DataRequired, NumberRange, Optional, ValidationError

from balcao.panel.fields import SelectionsField, split_lines
from balcao.panel.requests.definitions import Definition, to_number
from balcao.panel.visit import Visit
from balcao.web.api import Refused
from balcao.web.forms import Form, length, needed

MOST_QUESTIONS = 20
_FEWEST_OPTIONS, _MOST_OPTIONS, _LONGEST_OPTION = 2, 50, 100
_LONGEST_DEADLINE, _MOST_DAYS = 365, 36_500
_NAMED = re.compile(r"`(\w+)`")


def _whole(label: str, least: int, most: int, hint: str = "") -> IntegerField:
    rules = [Optional(), NumberRange(least, most, f"Um número de {least} a {most}.")]
    return IntegerField(label, validators=rules, description=hint)


def _check_number(_: Any, field: Any) -> None:
    if to_number(field.data) is None:
        raise ValidationError("Escreva um número.")


def _check_options(form: Any, field: Any) -> None:
    options = split_lines(field.data or "")
    if form.kind.data != "choice":
        return
    if not _FEWEST_OPTIONS <= len(options) <= _MOST_OPTIONS or len(set(options)) < len(options):
        raise ValidationError(f"De {_FEWEST_OPTIONS} a {_MOST_OPTIONS} opções diferentes, uma em cada linha.")
    if max(map(len, options)) > _LONGEST_OPTION:
        raise ValidationError(f"Cada opção tem no máximo {_LONGEST_OPTION} caracteres.")


class QuestionRow(wtforms.Form):
    """One question. Its kind is set when it is added and cannot change. Limits for other kinds are ignored."""

    id = HiddenField()
    kind = HiddenField()
    label = StringField("Pergunta", validators=[DataRequired("Escreva a pergunta."), length(1, 120)])
    hint = StringField("Ajuda", description="Opcional, abaixo da pergunta.", validators=[length(0, 200)])
    required = BooleanField("Precisa ser respondida")
    personal = BooleanField("A resposta é um dado pessoal")
    options = TextAreaField("Opções", description="Uma em cada linha.", validators=[_check_options])
    min_length = _whole("Menor tamanho, em letras", 1, 2_000)
    max_length = _whole("Maior tamanho, em letras", 1, 2_000, "Vazio: 500.")
    minimum = StringField("Menor número", validators=[Optional(), _check_number])
    maximum = StringField("Maior número", validators=[Optional(), _check_number])
    decimals = _whole("Casas decimais", 0, 4, "Vazio: só números inteiros.")
    earliest_days = _whole("Primeiro dia", -_MOST_DAYS, _MOST_DAYS, "Em dias a partir de hoje; negativo é passado.")
    latest_days = _whole("Último dia", -_MOST_DAYS, _MOST_DAYS, "Em dias a partir de hoje; 0 é hoje.")
    max_files = _whole("Quantos arquivos", 1, 5, "Vazio: um.")


class TypeForm(Form):
    """The form for a request type.

    For each field that two people have changed, `theirs` contains the other person's change with marked words.
    """

    members: ClassVar[Mapping[str, str]] = {"questions": "fields"}

    name = StringField(
        "Nome",
        description="Como a pessoa diria: “Lâmpada apagada”.",
        validators=[needed("Dê um nome ao pedido."), length(1, 80)],
    )
    category = StringField("Assunto", validators=[needed("Diga o assunto."), length(1, 80)])
    description = TextAreaField("Quando pedir", description="Uma frase.", validators=[length(0, 500)])
    departments = SelectionsField(
        "Órgãos que atendem",
        description="O primeiro aparece para o cidadão. Quem é destes órgãos vê os pedidos na fila.",
        validators=[DataRequired("Escolha o órgão que atende.")],
    )
    deadline_days = IntegerField(
        "Prazo em dias corridos",
        validators=[
            needed("Diga o prazo."),
            NumberRange(1, _LONGEST_DEADLINE, f"Um número de 1 a {_LONGEST_DEADLINE}."),
        ],
    )
    service_id = StringField(
        "Identificador do serviço no catálogo",
        description="Opcional. Liga o pedido à página do serviço no site.",
        validators=[length(0, 100)],
    )
    without_login = BooleanField(
        "Pode ser feito sem login",
        description="Só se nenhuma pergunta é um dado pessoal e nenhum arquivo é obrigatório.",
    )
    questions = FieldList(FormField(QuestionRow), max_entries=MOST_QUESTIONS)

    def __init__(
        self, visit: Visit, departments: Mapping[str, str], values: Definition | None = None, *, etag: str = ""
    ) -> None:
        super().__init__(visit, values, etag=etag)
        self._departments = departments
        self.theirs: dict[str, Markup] = {}
        self.departments.offer(list(departments.values()))

    def validate(self, extra_validators: object = None) -> bool:
        """Require at least one question, and validate the questions."""
        is_sound = super().validate()
        if not len(self.questions):
            self.refusal = "Acrescente ao menos uma pergunta."
        return is_sound and bool(len(self.questions))

    def replace(self, values: Definition) -> None:
        """Replace the submitted values with these values."""
        self.process(None, data=dict(values))
        self.departments.offer(list(self._departments.values()))

    def take(self, fault: Refused) -> None:
        """Add an error from the service to the question or field that it names."""
        if fault.code == "request-type-exists":
            self._add_error("name", "Já há um tipo de pedido com este nome, talvez fora de uso.")
            return
        named = set(_NAMED.findall(fault.text))
        row: Any
        for row in self.questions:
            if row.form.id.data and row.form.id.data in named:
                row.form.label.errors = [
                    *row.form.label.errors,
                    _NAMED.sub(f"“{row.form.label.data}”", fault.text, count=1),
                ]
                return
        if "fields" in named:
            self.refusal = fault.text.replace("`fields`", "“Perguntas”")
            return
        super().take(fault)
