"""The forms for the catalogue."""

from collections.abc import Mapping
from typing import Any, ClassVar

from wtforms import (
    BooleanField,
    IntegerField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import DataRequired, NumberRange, Optional, ValidationError

from balcao.core.values.costs_and_deadlines import UNITS, format_cents
from balcao.panel.catalogue.content import RANGE, WITH_AMOUNT, parse_cents, parse_quantity, to_body
from balcao.panel.catalogue.labels import CHOICES
from balcao.panel.fields import SelectionsField
from balcao.panel.visit import Visit
from balcao.web.forms import Form, length, list_choices, needed

_ONE_A_LINE = "Um por linha."


_MOST_CENTS = 1_000_000_000  # the limit of the search service
_FOLLOWS = "Em branco, fica como acima. Escreva só se há o que explicar."


class ServiceForm(Form):
    """The form for the text of a service. New services and proposals also use it."""

    members: ClassVar[Mapping[str, str]] = {
        "exclusive_for_agents": "agents.exclusive_for_agents",
        "tool_hint": "agents.tool_hint",
        "custo_tipo": "custo.tipo",
        "custo_valor": "custo.valor_centavos",
        "custo_valor_maximo": "custo.valor_maximo_centavos",
        "custo_isencao": "custo.isencao",
        "prazo_unidade": "prazo.unidade",
        "prazo_quantidade": "prazo.quantidade",
    }

    nome_servico = StringField(
        "Nome",
        description="Como a pessoa diria, sem sigla.",
        validators=[needed("Dê um nome ao serviço."), length(1, 500)],
    )
    resumo = TextAreaField(
        "Resumo",
        description="Uma frase: o que a pessoa consegue com o serviço.",
        validators=[needed("Diga em uma frase o que é."), length(1, 20_000)],
    )
    tema_geral = SelectField("Tema", validators=[needed("Escolha um tema.")], validate_choice=False)
    sub_categoria = StringField("Subtema", validators=[length(0, 200)])
    orgao_gestor = SelectionsField(
        "Órgãos responsáveis",
        description="Da lista de órgãos da cidade.",
        validators=[DataRequired("Escolha o órgão que responde pelo serviço.")],
    )
    publico_especifico = TextAreaField(
        "Para quem é",
        description=f"{_ONE_A_LINE} Por exemplo: Público em geral, Idosos, Estudantes.",
        validators=[needed("Diga para quem é o serviço.")],
    )
    custo_tipo = SelectField("Quanto custa", choices=list_choices(CHOICES["custo_tipo"].items()), default="")
    custo_valor = StringField("Valor em reais", description="Por exemplo: 35,20.")
    custo_valor_maximo = StringField("Até quanto, em reais", description="O maior valor que se cobra.")
    custo_isencao = StringField(
        "Quem não paga", description="Por exemplo: Quem está no Cadastro Único não paga.", validators=[length(0, 300)]
    )
    custo_servico = StringField("Custo em palavras", description=_FOLLOWS)
    prazo_unidade = SelectField("Quanto demora", choices=list_choices(CHOICES["prazo_unidade"].items()), default="")
    prazo_quantidade = StringField("Quanto tempo, no máximo", description="Só o número. Por exemplo: 5.")
    tempo_atendimento = StringField("Prazo em palavras", description=_FOLLOWS)
    resultado_solicitacao = TextAreaField("O que a pessoa recebe")
    descricao_completa = TextAreaField("Descrição completa", description="Títulos, listas e links em markdown.")
    documentos_necessarios = TextAreaField("Documentos necessários", description=_ONE_A_LINE)
    instrucoes_solicitante = TextAreaField("Como pedir", description="Os passos, na ordem em que se fazem.")
    canais_digitais = TextAreaField("Canais digitais", description=f"{_ONE_A_LINE} Endereços completos, com https.")
    canais_presenciais = TextAreaField("Onde ser atendido", description=_ONE_A_LINE)
    servico_nao_cobre = TextAreaField("O que o serviço não cobre")
    legislacao_relacionada = TextAreaField("Legislação", description=_ONE_A_LINE)
    buttons = TextAreaField(
        "Botões", description=f"{_ONE_A_LINE} Texto | endereço completo | explicação, que pode faltar."
    )
    fixar_destaque = BooleanField("Mostrar em destaque", false_values=("", "n"))
    exclusive_for_agents = BooleanField("Só para assistentes virtuais", false_values=("", "n"))
    tool_hint = StringField(
        "Dica para assistentes virtuais",
        description="Quando um assistente deve usar este serviço.",
        validators=[length(0, 2000)],
    )
    change_reason = StringField(
        "Por que muda",
        description="Fica no histórico, para colegas. Sem CPF, telefone ou e-mail de ninguém.",
        validators=[Optional(), length(3, 500)],
    )

    def __init__(
        self,
        visit: Visit,
        themes: list[str],
        departments: Mapping[str, str],
        values: Mapping[str, Any] | None = None,
        *,
        etag: str = "",
    ) -> None:
        """Set the selectable categories and departments. A stored value that is not among them remains selectable."""
        given = {**(values or {})}
        for name in ("fixar_destaque", "exclusive_for_agents"):
            if name in given:
                given[name] = given[name] == "y"
        super().__init__(visit, given, etag=etag)
        own = self.tema_geral.data or ""
        known = [*themes] if not own or own in themes else [own, *themes]
        self.tema_geral.choices = list_choices([("", "Escolha"), *((name, name) for name in known)])
        self.orgao_gestor.offer(list(departments.values()))
        if not departments:
            self.orgao_gestor.description = "A lista de órgãos não abriu. Recarregue a página daqui a pouco."
        self._departments = departments

    def validate_custo_valor(self, field: StringField) -> None:
        """Require an amount if the chosen kind of cost has one."""
        if self.custo_tipo.data in WITH_AMOUNT:
            _require_amount(field)

    def validate_custo_valor_maximo(self, field: StringField) -> None:
        """Require an amount that is greater than the first one if the cost is a range."""
        if self.custo_tipo.data != RANGE:
            return
        least, most = parse_cents(self.custo_valor.data or ""), _require_amount(field)
        if least is not None and most <= least:
            raise ValidationError("Escreva um valor maior que o primeiro.")

    def validate_prazo_quantidade(self, field: StringField) -> None:
        """Require a number if the chosen unit can be counted."""
        if self.prazo_unidade.data in UNITS and not parse_quantity(field.data or ""):
            raise ValidationError("Escreva um número de 1 a 999.")

    @property
    def texts(self) -> dict[str, str]:
        """Return the form's fields as strings, in the same format as `to_fields`."""
        found = {name: str(field.data or "").replace("\r\n", "\n").strip() for name, field in self._fields.items()}
        found.pop("change_reason")
        found["orgao_gestor"] = "\n".join(self.orgao_gestor.data or ())
        for name in ("fixar_destaque", "exclusive_for_agents"):
            found[name] = "y" if self._fields[name].data else ""
        return found

    def make_body(self) -> dict[str, Any]:
        """Return the request body for saving the service."""
        reason = (self.change_reason.data or "").strip()
        return to_body(self.texts, self._departments) | ({"change_reason": reason} if reason else {})


def _require_amount(field: StringField) -> int:
    cents = parse_cents(field.data or "")
    if cents is None:
        raise ValidationError("Escreva o valor em reais, como 35,20.")
    if cents > _MOST_CENTS:
        raise ValidationError(f"No máximo {format_cents(_MOST_CENTS)}.")
    return cents


class ReasonForm(Form):
    """The form for the reason for sending a service back to its editors."""

    members: ClassVar[Mapping[str, str]] = {"reason": "change_reason"}

    reason = StringField(
        "O que falta",
        description="Quem edita lê isto. Sem CPF, telefone ou e-mail de ninguém.",
        validators=[needed("Diga o que falta, para que alguém possa mudar."), length(3, 500)],
    )


class SendBackForm(ReasonForm):
    """The form for the reason for sending a proposal back.

    The field is called `reason`, like the member in the request.
    """

    members: ClassVar[Mapping[str, str]] = {}


class RollbackForm(Form):
    """The form for the reason for restoring an older version."""

    change_reason = StringField("Motivo", description="Fica no histórico.", validators=[Optional(), length(3, 500)])


class DeleteForm(Form):
    """The form for confirming a deletion. The person must type the service's name."""

    name = StringField(
        "Nome do serviço, como está acima", validators=[needed("Escreva o nome do serviço para confirmar.")]
    )


class MappingForm(Form):
    """The form for mapping a legacy system's service number to the service that replaces it."""

    origem = SelectField("Sistema antigo", validators=[needed("Escolha o sistema antigo.")], validate_choice=False)
    id_servico_antigo = StringField("Número no sistema antigo", validators=[needed(), length(1, 200)])
    id_servico_novo = StringField(
        "Serviço que é agora",
        description="O nome do serviço, ou parte dele.",
        validators=[needed("Diga qual serviço é agora.")],
    )
    observacoes = TextAreaField("Observações", validators=[length(0, 20_000)])


class CategoryForm(Form):
    """The form for a category's weight and visibility."""

    popularity_seed = IntegerField(
        "Peso",
        description="De 0 a 1.000.000: quanto maior, mais acima aparece.",
        validators=[NumberRange(0, 1_000_000, "Um número de 0 a 1.000.000.")],
    )
    active = BooleanField("Mostrar nas listas", false_values=("", "n"))


class NewCategoryForm(CategoryForm):
    """The form for a new category."""

    name = StringField("Nome", validators=[needed("Dê um nome à categoria."), length(1, 200)])


class SynonymForm(Form):
    """The form for a group of synonyms."""

    terms = TextAreaField(
        "Termos que valem um pelo outro",
        description="Um por linha, de 2 a 20: quem digita um acha também os outros.",
        validators=[needed("Escreva pelo menos dois termos.")],
    )


class PhrasesForm(Form):
    """The form for a service's phrases: the words in which citizens ask for the service."""

    phrases = TextAreaField(
        "Frases das pessoas",
        description="Uma por linha, até 50, com as palavras de quem pede: “galho encostando no fio”.",
    )


class ControlForm(Form):
    """The form for the queries that show how a migration affects the search results."""

    queries = TextAreaField("Buscas de controle", description="Uma por linha, até 200.")


class StartForm(Form):
    """The form for starting a migration: the schema version, and whether it is only a dry run."""

    schema_version = SelectField("Versão do esquema", validate_choice=False)
    dry_run = RadioField(
        "O que fazer",
        choices=list_choices([("ensaio", "Só ensaiar: nada muda"), ("valer", "Começar para valer")]),
        default="ensaio",
    )
    reason = StringField("Motivo", validators=[Optional(), length(3, 500)])


class MigrationReasonForm(Form):
    """The form for the reason for stopping or undoing a migration."""

    reason = StringField("Motivo", description="Fica no histórico.", validators=[Optional(), length(3, 500)])
