"""The forms for the access administration."""

from collections.abc import Sequence
from typing import ClassVar

from wtforms import BooleanField, SelectField, StringField, TextAreaField
from wtforms.validators import Optional, ValidationError

from balcao.web.forms import CodeField, Form, length, list_choices, matching, needed

NAME_HINT = "Letras minúsculas, números, _ e :. Não muda depois."
_NAME = (r"[a-z0-9_:]{1,100}", "Use só letras minúsculas, números, _ e :.")
_ACTION = (
    r"[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+",
    "Escreva o recurso, dois-pontos e o que se faz com ele, como em iptu:invoice:read.",
)
_CPF = r"[0-9]{3}\.?[0-9]{3}\.?[0-9]{3}-?[0-9]{2}"
_METHODS = list_choices(
    {
        "GET": "Ler (GET)",
        "POST": "Criar ou agir (POST)",
        "PUT": "Gravar (PUT)",
        "PATCH": "Mudar uma parte (PATCH)",
        "DELETE": "Excluir (DELETE)",
    }.items()
)


def split_lines(text: str | None) -> list[str]:
    """Return the non-blank lines of a string."""
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def clean_cpf(text: str | None) -> str:
    """Return the digits in a typed CPF."""
    return "".join(char for char in text or "" if char.isdigit())


class GroupForm(Form):
    """The form for a group: its purpose, the limits on its members' rights, and the groups that they administer."""

    description = StringField("Para que serve", validators=[needed(), length(1, 500)])
    area = TextAreaField(
        "Só nestas áreas de saúde",
        description="Uma por linha, como 1.0. Vazio: em todas.",
        validators=[Optional()],
    )
    manages = TextAreaField(
        "Só para administrar as pessoas destes grupos",
        description="Um por linha; com * no fim, todos os que começam assim. Vazio: sem limite, se o papel o permite.",
        validators=[Optional()],
    )


class NewGroupForm(GroupForm):
    name = StringField(
        "Nome",
        description=f"{NAME_HINT} O grupo de um órgão: digite o nome do órgão e escolha na lista.",
        validators=[needed(), matching(*_NAME)],
    )


class RoleForm(Form):
    description = StringField("Para que serve", validators=[needed(), length(1, 500)])


class NewRoleForm(RoleForm):
    name = StringField("Nome", description=NAME_HINT, validators=[needed(), matching(*_NAME)])


class ActionForm(Form):
    name = StringField(
        "Nome",
        description="O nome é só um rótulo: papéis, endereços e programas dependem da ação, não do nome.",
        validators=[needed(), length(3, 100), matching(*_ACTION)],
    )
    description = StringField("O que permite", validators=[needed(), length(1, 500)])


class MappingForm(Form):
    """The form for an address of another city application."""

    members: ClassVar = {"path": "path_pattern", "action": "action_id"}

    method = SelectField("O que se faz", choices=_METHODS)
    path = StringField(
        "Endereço",
        description="Com {nome} no lugar de um valor, * para qualquer um e ** no fim para tudo abaixo.",
        validators=[needed(), length(1, 255)],
    )
    action = SelectField("Ação que exige", validators=[needed("Escolha a ação.")])
    description = StringField("O que a operação faz", validators=[Optional(), length(0, 500)])


class BindingForm(Form):
    members: ClassVar = {"action": "action_id"}

    action = SelectField("Ação que exige", validators=[needed("Escolha a ação.")])


class ChoiceForm(Form):
    """The form for giving a role. The page supplies the choices."""

    members: ClassVar = {"choice": "role_name"}

    choice = SelectField("Papel", validators=[needed("Escolha um da lista.")])


class GroupChoiceForm(Form):
    choice = SelectField("Grupo", validators=[needed("Escolha um da lista.")])


class GrantForm(Form):
    members: ClassVar = {"choice": "action_name"}

    choice = SelectField("Ação", validators=[needed("Escolha uma da lista.")])


class MemberForm(Form):
    """The form for adding a person to a group.

    It asks for the CPF, because a new colleague may not have logged in yet.
    """

    members: ClassVar = {"cpf": "subject"}

    cpf = CodeField(
        "CPF da pessoa",
        description="Pode ser de alguém que ainda não entrou nenhuma vez.",
        validators=[needed(), matching(_CPF, "Escreva os onze dígitos do CPF.")],
    )


class ExplainForm(Form):
    """The form for asking whether a right, or a call to an API address, is allowed.

    If both are given, only the address is used.
    """

    members: ClassVar = {"cpf": "subject", "wanted": "action"}

    wanted = SelectField("O que você quer fazer?", default="")
    cpf = CodeField(
        "CPF de quem faz",
        description="Vazio: você.",
        validators=[Optional(), matching(_CPF, "Escreva os onze dígitos do CPF.")],
    )
    method = SelectField("O que se faz", choices=_METHODS)
    path = StringField(
        "Endereço da operação",
        description="Comece pelo serviço, como em /registry/v1/citizen/90000000175/pets.",
        validators=[length(0, 2048)],
    )

    def validate_wanted(self, field: SelectField) -> None:
        """Require a choice unless an address is given."""
        if not field.data and not self.asked_path:
            raise ValidationError("Escolha o que você quer fazer.")

    @property
    def asked_path(self) -> str:
        """Return the typed address, or an empty string."""
        return (self.path.data or "").strip()

    @property
    def asked(self) -> dict[str, str]:
        """Return the question as query parameters for the service."""
        if self.asked_path:
            return {"method": self.method.data, "path": self.asked_path}
        return {"action": self.wanted.data}


class DocumentForm(Form):
    document = TextAreaField(
        "Documento",
        description="YAML ou JSON, no formato da exportação. Até 1 MB.",
        validators=[needed("Cole o documento que quer comparar com o catálogo.")],
    )
    prune = BooleanField(
        "Excluir o que falta no documento",
        description="Sem isto, o que o documento não traz fica como está.",
    )


class LastAdministrationForm(Form):
    """The form with which administrators confirm giving up their last administrative role.

    `names` describes the administrative roles that the person would lose, and the source of each.
    """

    names: Sequence[str] = ()

    sure = BooleanField(
        "Entendo que deixo de administrar os acessos",
        validators=[needed("Marque que você entende, ou volte sem mudar nada.")],
    )
