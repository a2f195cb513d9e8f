"""The forms for reference data."""

from collections.abc import Mapping
from typing import ClassVar

from wtforms import BooleanField, IntegerField, SelectField, StringField
from wtforms.validators import NumberRange, Optional

from balcao.web.forms import Form, length, matching, needed

KINDS = {
    "bicicleta_eletrica": "Bicicleta elétrica",
    "autopropelido": "Autopropelido",
    "ciclomotor": "Ciclomotor",
}


class CategoryForm(Form):
    name = StringField("Nome", validators=[needed("Escreva o nome do assunto."), length(1, 100)])
    description = StringField(
        "Descrição",
        description="Uma frase, para o cidadão.",
        validators=[needed("Descreva o assunto."), length(1, 500)],
    )
    default_opt_in = BooleanField("Vale como aceito para quem ainda não escolheu")
    active = BooleanField("Oferecido aos cidadãos", description="Se desmarcar, as escolhas já feitas ficam guardadas.")
    order = IntegerField("Posição na lista", validators=[Optional(), NumberRange(0, 9999, "De 0 a 9999.")])


class NewCategoryForm(CategoryForm):
    id = StringField(
        "Código",
        description="Letras minúsculas, algarismos e _; não muda mais.",
        validators=[needed("Escreva o código."), matching(r"[a-z][a-z0-9_]{1,49}", "Use letras minúsculas, 0-9 e _.")],
    )


class BrandForm(Form):
    name = StringField("Nova marca", validators=[needed("Escreva o nome da marca."), length(1, 100)])


class ModelForm(Form):
    brand_id = SelectField("Marca", validators=[needed("Escolha a marca.")])
    model_name = StringField("Novo modelo", validators=[needed("Escreva o nome do modelo."), length(1, 100)])
    vehicle_type = SelectField("Tipo", choices=KINDS)

    members: ClassVar[Mapping[str, str]] = {"model_name": "name"}
