"""The forms for the jobs area: a job with its steps and questions, and the reason for a change."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import wtforms
from wtforms import (
    BooleanField,
    DateField,
    DecimalField,
    FieldList,
    FormField,
    HiddenField,
    IntegerField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Optional
from wtforms.widgets import CheckboxInput, ListWidget

from balcao.panel.jobs.labels import ACCESSIBILITY, QUESTION_KINDS, format_cnpj
from balcao.web.api import Refused
from balcao.web.forms import Form, length, list_choices, needed

if TYPE_CHECKING:
    from balcao.panel.jobs.client import Value
    from balcao.panel.jobs.companies_client import Company
    from balcao.panel.visit import Visit

MOST_STEPS, MOST_QUESTIONS, MOST_LANGUAGES = 30, 30, 10
# Matches a member's name in an error text from the service: `bairro`, `etapas[0].descricao`,
# `informacoes_complementares.opcoes`.
_MEMBER = re.compile(r"`(\w+)(?:\[(\d+)\])?(?:\.(\w+))?`")
_MISSING = "A publicação precisa deste campo."


class CheckboxesField(SelectMultipleField):
    """A multiple selection with a checkbox for each value."""

    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


class ReasonForm(Form):
    """The form for the reason for a change. The job's history stores the reason."""

    reason = TextAreaField(
        "Motivo",
        description="Opcional. Fica no histórico, com o seu nome, para quem trabalha com a vaga.",
        validators=[Optional(), length(0, 500)],
    )
    members = {"reason": "motivo"}  # noqa: RUF012 - read only


class StepRow(wtforms.Form):
    id = HiddenField()
    titulo = StringField("Etapa", validators=[needed("Dê um nome à etapa."), length(1, 500)])
    descricao = TextAreaField("O que acontece nela", validators=[length(0, 5000)])


class QuestionRow(wtforms.Form):
    id = HiddenField()
    titulo = StringField("Pergunta", validators=[needed("Escreva a pergunta."), length(1, 500)])
    tipo_campo = SelectField("Como se responde", choices=list_choices(QUESTION_KINDS.items()))
    obrigatorio = BooleanField("Precisa ser respondida")
    valor_minimo = IntegerField("Menor número", validators=[Optional()])
    valor_maximo = IntegerField("Maior número", validators=[Optional()])
    opcoes = TextAreaField("Opções", description="Uma em cada linha.", validators=[length(0, 10_000)])


class LanguageRow(wtforms.Form):
    id_idioma = SelectField("Idioma", validate_choice=False)
    id_nivel_minimo = SelectField("Nível mínimo", validate_choice=False)


class JobForm(Form):
    """The form for a job. Its fields have the same names as the service's members."""

    titulo = StringField("Título", validators=[needed(), length(1, 500)])
    id_contratante = StringField(
        "Empresa",
        description="O nome ou o CNPJ de uma empresa cadastrada.",
        validators=[needed("Diga de que empresa é a vaga.")],
    )
    id_orgao_parceiro = SelectField("Órgão", description="Quem na prefeitura cuida desta vaga.")
    descricao = TextAreaField("Descrição", validators=[needed(), length(1, 20_000)])
    requisitos = TextAreaField("Requisitos", validators=[length(0, 10_000)])
    responsabilidades = TextAreaField("Responsabilidades", validators=[length(0, 10_000)])
    diferenciais = TextAreaField("Diferenciais", validators=[length(0, 10_000)])
    beneficios = TextAreaField("Benefícios", validators=[length(0, 10_000)])
    id_regime_contratacao = SelectField("Regime de contratação", validators=[needed("Escolha o regime.")])
    id_modelo_trabalho = SelectField("Modelo de trabalho", validators=[needed("Escolha o modelo.")])
    bairro = StringField("Bairro do trabalho", validators=[length(0, 255)])
    valor_vaga = DecimalField(
        "Remuneração", description="Em reais, por mês. Vazio: a combinar.", places=2, validators=[Optional()]
    )
    quantidade_estimada_contratacoes = IntegerField("Quantas pessoas", validators=[Optional()])
    data_limite = DateField("Inscrições até", description="Até o fim deste dia.", validators=[Optional()])
    id_escolaridade_minima = SelectField("Escolaridade mínima")
    idade_minima = IntegerField("Idade mínima", validators=[Optional()])
    idade_maxima = IntegerField("Idade máxima", validators=[Optional()])
    bairros_elegibilidade = TextAreaField("Só para quem mora em", description="Um bairro em cada linha. Vazio: todos.")
    areas_formacao_elegibilidade = TextAreaField(
        "Só para quem se formou em", description="Uma área em cada linha. Vazio: todas."
    )
    acessibilidade_pcd = SelectField(
        "Pessoas com deficiência", choices=list_choices([("", "não informado"), *ACCESSIBILITY.items()])
    )
    tipos_pcd = CheckboxesField("Tipos de deficiência", description="Só se a vaga indicar algo acima.")
    zonas = CheckboxesField("Zonas da cidade")
    idiomas_requisito = FieldList(FormField(LanguageRow), max_entries=MOST_LANGUAGES)
    etapas = FieldList(FormField(StepRow), max_entries=MOST_STEPS)
    informacoes_complementares = FieldList(FormField(QuestionRow), max_entries=MOST_QUESTIONS)

    def __init__(
        self,
        visit: "Visit",
        tables: Mapping[str, Sequence["Value"]],
        departments: Sequence[tuple[str, str]],
        values: Mapping[str, Any] | None = None,
        *,
        etag: str = "",
    ) -> None:
        super().__init__(visit, values, etag=etag)
        # For each field that both people changed, the value that the other person has stored.
        self.theirs: dict[str, str] = {}
        self._choices = {
            "id_orgao_parceiro": [("", "nenhum ainda"), *departments],
            "id_regime_contratacao": [("", "escolha"), *_pairs(tables["regimes-contratacao"])],
            "id_modelo_trabalho": [("", "escolha"), *_pairs(tables["modelos-trabalho"])],
            "id_escolaridade_minima": [("", "nenhuma"), *_pairs(tables["escolaridades"])],
            "tipos_pcd": _pairs(tables["tipos-pcd"]),
            "zonas": _pairs(tables["zonas"]),
        }
        self._languages = [("", "nenhum"), *_pairs(tables["idiomas"])]
        self._levels = [("", "escolha"), *_pairs(tables["niveis-idioma"])]
        self.offer_choices()

    def offer_choices(self) -> None:
        """Set the choices of the selection fields, except those with fixed choices.

        A stored value that is no longer offered remains selectable, except in the language rows.
        """
        for name, choices in self._choices.items():
            field: Any = self._fields[name]
            chosen = field.data if isinstance(field.data, list) else [field.data]
            known = {value for value, _ in choices}
            further = [(value, value) for value in chosen if value and value not in known]
            field.choices = list_choices([*choices, *further])
        row: Any
        for row in self.idiomas_requisito:
            row.id_idioma.choices = list_choices(self._languages)
            row.id_nivel_minimo.choices = list_choices(self._levels)

    def replace(self, values: Mapping[str, Any]) -> None:
        """Replace the submitted values with these values."""
        self.process(None, data=dict(values))
        self.offer_choices()

    def take(self, fault: Refused) -> None:
        """Add the error to the fields that the service names, including fields in steps and questions.

        If the job is incomplete, mark every named field. For any other error, mark only the first. If no named field
        exists, show the error for the whole form.
        """
        placed = False
        text = _MISSING if fault.code == "job-incomplete" else self._reword_members(fault.text)
        for name, place, part in _MEMBER.findall(fault.text):
            field = self._find(name, place, part)
            if field is not None and text not in field.errors:
                field.errors = [*field.errors, text]
                placed = True
            if fault.code != "job-incomplete":
                break
        if not placed:
            self.refusal = self._reword_members(fault.text)

    def _find(self, name: str, place: str, part: str) -> Any:
        field = self._fields.get(name)
        if isinstance(field, FieldList):
            rows = list(field)
            if not part or (place and int(place) >= len(rows)) or not rows:
                return None
            return rows[int(place or 0)].form._fields.get(part) if place else None
        return field

    def _reword_members(self, text: str) -> str:
        return _MEMBER.sub(lambda found: f"“{self.label_member(found[1], found[3])}”", text)

    def label_member(self, name: str, part: str = "") -> str:
        """Return a member's label in the form."""
        return describe_member(f"{name}.{part}" if part else name)[1]


_ROWS: Mapping[str, tuple[str, type[wtforms.Form]]] = {
    "etapas": ("etapa", StepRow),
    "informacoes_complementares": ("pergunta", QuestionRow),
    "idiomas_requisito": ("idioma", LanguageRow),
}


def describe_member(name: str) -> tuple[str, str]:
    """Return the HTML id and the label of the form field for a member."""
    found = _MEMBER.fullmatch(f"`{name}`")
    if found is None:
        return "", name
    whole, place, part = found[1], found[2], found[3]
    if whole in _ROWS:
        noun, row = _ROWS[whole]
        number = f" {int(place) + 1}" if place else ""
        label = getattr(row, part).args[0] if part and hasattr(row, part) else ""
        anchor = f"{whole}-{place}-{part}" if place and part else whole
        return anchor, f"{noun}{number}: {label.lower()}" if label else f"{noun}{number}"
    field = getattr(JobForm, whole, None)
    return whole, field.args[0] if field is not None else whole


def list_companies_for_choice(companies: Sequence["Company"]) -> list[tuple[str, str]]:
    """Return the suggestions for the company field, as (formatted CNPJ, name) pairs."""
    return [(format_cnpj(company.cnpj), company.label) for company in companies]


def _pairs(values: Sequence["Value"]) -> list[tuple[str, str]]:
    return [(value.id, value.descricao) for value in values]
