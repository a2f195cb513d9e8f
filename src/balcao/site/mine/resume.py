"""Pages for the citizen's résumé: jobs, education, courses and languages. People add, change and remove items."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, cast

from wtforms import BooleanField, SelectField, StringField, TextAreaField
from wtforms.validators import Optional

from balcao.core.http.responses import Response
from balcao.site.mine import resume_client as client
from balcao.site.mine.declaration import Pages
from balcao.site.mine.pending_application import find_return, read_pending
from balcao.site.mine.resume_client import Resume
from balcao.site.mine.visit import Visit
from balcao.web.faults import make_not_found
from balcao.web.forms import Form, length, list_choices, matching, needed

pages = Pages("resume", "/curriculo")
_YEAR = matching(r"(19|20)[0-9]{2}", "Escreva o ano com 4 números.")
_STATES = [("Completo", "Completo"), ("Em andamento", "Em andamento"), ("Incompleto", "Incompleto")]


class ExperienceForm(Form):
    cargo = StringField("O que você fazia?", validators=[needed("Escreva o que você fazia."), length(1, 200)])
    empresa = StringField("Onde?", validators=[needed("Escreva onde você trabalhou."), length(1, 200)])
    tempo_experiencia_meses = StringField(
        "Por quantos meses? (opcional)",
        description="Um ano são 12 meses.",
        validators=[Optional(), matching(r"[0-9]{1,3}", "Escreva só o número de meses.")],
    )
    eh_trabalho_atual = BooleanField("Trabalho lá hoje")
    descricao_atividades = TextAreaField("Como era o trabalho? (opcional)", validators=[length(0, 2_000)])


class EducationForm(Form):
    members: ClassVar[Mapping[str, str]] = {"situation": "status"}

    id_escolaridade = SelectField("Nível", validators=[needed("Escolha o nível.")])
    nome_curso = StringField("Curso (opcional)", validators=[length(0, 200)])
    nome_instituicao = StringField("Escola (opcional)", validators=[length(0, 200)])
    situation = SelectField(
        "Situação", choices=list_choices(_STATES, is_asked=True), validators=[needed("Escolha a situação.")]
    )
    ano_conclusao = StringField("Ano em que terminou ou termina (opcional)", validators=[Optional(), _YEAR])


class CourseForm(Form):
    nome_curso = StringField("Curso", validators=[needed("Escreva o nome do curso."), length(1, 200)])
    nome_instituicao = StringField("Escola (opcional)", validators=[length(0, 200)])
    ano_conclusao = StringField("Ano em que terminou (opcional)", validators=[Optional(), _YEAR])


class LanguageForm(Form):
    id_idioma = SelectField("Idioma", validators=[needed("Escolha o idioma.")])
    id_nivel = SelectField("Nível", validators=[needed("Escolha o nível.")])


class Part(NamedTuple):
    """A part of the résumé.

    `tables` maps each selection in the form to the city's table of values for it. `kept` names the members that a
    change keeps, because the form does not show them.
    """

    key: str
    title: str
    item: str
    form: type[Form]
    list_items: Callable[[Resume], Sequence[Any]]
    tables: Mapping[str, str] = {}
    kept: Sequence[str] = ()


PARTS = {
    one.key: one
    for one in (
        Part(
            "experiencias",
            "Trabalhos",
            "um trabalho",
            ExperienceForm,
            lambda found: found.experiencias,
            kept=["experiencia_comprovada_ct"],
        ),
        Part(
            "formacoes",
            "Escola e faculdade",
            "uma formação",
            EducationForm,
            lambda found: found.formacoes,
            {"id_escolaridade": "escolaridades"},
        ),
        Part("cursos-complementares", "Cursos", "um curso", CourseForm, lambda found: found.cursos_complementares),
        Part(
            "idiomas",
            "Idiomas",
            "um idioma",
            LanguageForm,
            lambda found: found.idiomas,
            {"id_idioma": "idiomas", "id_nivel": "niveis-idioma"},
        ),
    )
}


@pages.get("", "Meu currículo")
async def show(visit: Visit) -> Response[Any]:
    """Show the parts of the résumé, each with links for adding and changing items."""
    resume = await client.read_resume(await visit.read_subject())
    pending = await read_pending(visit)
    return visit.render("mine/resume.html", resume=resume, parts=PARTS.values(), pending=pending)


@pages.form("/{part}/incluir", "Incluir no currículo")
async def add_item(visit: Visit, part: str) -> Response[Any]:
    """Add an item to a part of the résumé."""
    found = _find_part(part)
    pending = await read_pending(visit)
    form = await _make_form(visit, found, {})
    back = find_return(visit, pending, "resume.show")
    if form.is_sent and await form.submit(lambda: client.add(visit.api, found.key, _to_body(form), form.key)):
        return await visit.redirect(back, "Pronto, está no seu currículo.")
    return visit.render(
        "mine/resume_item.html",
        title=f"Incluir {found.item}",
        part=found,
        form=form,
        pending=pending,
        back=back,
        status=form.status,
    )


@pages.form("/{part}/{item_id}", "Mudar o currículo")
async def change_item(visit: Visit, part: str, item_id: str) -> Response[Any]:
    """Change or remove an item in a part of the résumé."""
    found = _find_part(part)
    resume = await client.read_resume(await visit.read_subject())
    item = next((one for one in found.list_items(resume) if one.id == item_id), None)
    if item is None:
        raise make_not_found()
    pending = await read_pending(visit)
    back = find_return(visit, pending, "resume.show")
    if visit.posted.first("passo") == "retirar":
        await client.remove(visit.api, found.key, item_id)
        return await visit.redirect(back, "Pronto, saiu do seu currículo.")
    form = await _make_form(visit, found, _to_fields(found.form, item))
    kept = {name: getattr(item, name) for name in found.kept}
    if form.is_sent and await form.submit(lambda: client.change(visit.api, found.key, item_id, kept | _to_body(form))):
        return await visit.redirect(back, "A mudança foi guardada.")
    return visit.render(
        "mine/resume_item.html",
        title=f"Mudar {found.item}",
        part=found,
        form=form,
        item=item,
        pending=pending,
        back=back,
        status=form.status,
    )


def _find_part(key: str) -> Part:
    if key not in PARTS:
        raise make_not_found()
    return PARTS[key]


async def _make_form(visit: Visit, part: Part, values: Mapping[str, Any]) -> Form:
    """Return the form for a part. Its selections offer the values from the city's tables."""
    form = part.form(visit, values)
    for name, table in part.tables.items():
        selection = cast(SelectField, form[name])
        found = await client.list_values(visit.api, table)
        selection.choices = list_choices([(one.id, one.descricao) for one in found], is_asked=True)
    return form


def _to_fields(form: type[Form], item: Any) -> dict[str, Any]:
    """Convert an item to form values, by field name."""
    fields = {member: name for name, member in form.members.items()}
    values = {name: getattr(item, name) for name in item.__struct_fields__}
    return {fields.get(name, name): "" if value is None else value for name, value in values.items()}


def _to_body(form: Form) -> dict[str, Any]:
    """Convert the form to a request body. Omit empty fields, and convert the number of months to an integer."""
    body: dict[str, Any] = {}
    for name, value in form.data.items():
        text = value.strip() if isinstance(value, str) else value
        if name == "tempo_experiencia_meses" and text:
            body[name] = int(text)
        elif text not in ("", None):
            body[form.members.get(name, name)] = text
    return body
