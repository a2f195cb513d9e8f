"""WTForms forms that show the service's errors at the fields concerned and never lose typed text.

    class DropForm(Form):
        reason = TextAreaField("Motivo", description="Fica na trilha.", validators=[needed(), length(3, 200)])

    form = DropForm(visit)
    if form.is_sent and await form.submit(lambda: client.drop_job(visit.api, letter_id, form.reason.data)):
        return await visit.redirect(...)
    return visit.render("operation/drop.html", form=form, status=form.status)

A form contains the version of the resource that it shows (`If-Match`), and a key that prevents a second creation
(`Idempotency-Key`). The macro `carried` in `frame/forms.html` writes both as hidden fields.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import wtforms
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined] # newer than its type stubs
from wtforms.meta import DefaultMeta
from wtforms.validators import InputRequired, Length, ValidationError

from balcao.core.http.forms import FormData
from balcao.core.values.ids import new_id
from balcao.core.values.pasted import clean_pasted, compact_pasted
from balcao.web.api import Conflict, Outdated, Refused, ValidationFailed
from balcao.web.visit import DRAFT, PageRequest

ETAG, KEY = "_etag", "_key"
_RESTORED_NOTICE = "O que você escreveu está aqui de novo. Nada foi enviado ainda."
# The end of the label of an optional field. A list of errors leaves it out.
OPTIONAL = " (opcional)"
_NAMED = re.compile(r"`([\w.]+)`")


class Form(wtforms.Form):
    """A page's form. `members` maps a field's name to the service's member name if they differ.

    `refusal` is the service's error for the whole form. `is_outdated` is True if someone else has saved a change first
    (412).
    """

    members: ClassVar[Mapping[str, str]] = {}

    class Meta(DefaultMeta):
        locales = ("pt_BR", "pt")

        def render_field(self, field: Any, render_kw: Any) -> Any:
            """Omit the browser's own validation: its messages disappear, and `maxlength` truncates pasted values."""
            own = {"required": False, "minlength": False, "maxlength": False}
            needs = {"aria-required": "true"} if field.flags.required else {}
            return super().render_field(field, own | needs | dict(render_kw))

    def __init__(
        self, visit: PageRequest, values: Mapping[str, Any] | None = None, *, etag: str = "", is_sent: bool = True
    ) -> None:
        """Fill the form. `values` are the initial field values by name.

        `is_sent` is False if another form on the same page was submitted.
        """
        given = visit.posted if visit.is_post else visit.draft
        if visit.draft:
            visit.notice = visit.notice or _RESTORED_NOTICE
        super().__init__(formdata=given or None, data=values)
        self.is_sent = visit.is_post and is_sent
        # A resubmitted form or a draft keeps its original version, so that it never overwrites a change that the person
        # has not seen.
        self.etag = given.first(ETAG) or etag
        self.key = read_key(given) or new_id()
        self.draft = given.first(DRAFT)
        self.refusal = ""
        self.is_outdated = False
        self.result: Any = None
        visit.forms.append(self)

    async def submit(self, send: Callable[[], Awaitable[Any]]) -> bool:
        """Send the form if it is valid, and store the response in `result`. Return whether the service accepted it.

        Errors about a field are shown next to it, and other errors of the form above it. A concurrent change also sets
        `is_outdated`. Errors that a change to the form cannot fix are raised.
        """
        if not self.validate():
            return False
        try:
            self.result = await send()
        except (ValidationFailed, Conflict) as fault:
            self.take(fault)
            return False
        except Outdated as fault:
            self.is_outdated = True
            self.take(fault)
            return False
        return True

    def take(self, fault: Refused) -> None:
        """Add the service's errors to the fields that they concern. Member names become the form's labels."""
        fields = {self.members.get(name, name): name for name in self._fields}
        placed = False
        for item in fault.faults:
            name = fields.get(item.path) or fields.get(item.path.partition(".")[0])
            if name is None:
                self.refusal = self._reword(item.text if not item.path else f"{item.path}: {item.text}", fields)
            else:
                self._add_error(name, self._reword(item.text, fields))
            placed = True
        if not placed:
            text = self._reword(fault.text, fields)
            named = next((fields[word] for word in _NAMED.findall(fault.text) if word in fields), None)
            if named is None:
                self.refusal = text
            else:
                self._add_error(named, text)

    @property
    def status(self) -> int:
        """Return the page's status code: 412 if the form is outdated, 422 if it has errors, otherwise 200."""
        if self.is_outdated:
            return 412
        return 422 if self.is_sent and (self.errors or self.refusal) else 200

    def describe_answers(self, given: Mapping[str, Sequence[str]]) -> list[tuple[str, list[str]]]:
        """Return the submitted values in the form's words: the label of each answered field, and its values."""
        answers = [(label, field, given.get(field.name, ())) for label, field in _list_inputs(self)]
        return [
            (label, [_name_value(field, text) for text in texts])
            for label, field, texts in answers
            if "".join(texts).strip()
        ]

    @property
    def faults(self) -> Sequence[tuple[str, str]]:
        """Return (field id, error text) pairs, in the order of the form.

        The texts are links at the top of the page, where people read them without the field. If the form has several
        fields, each text therefore starts with the label.
        """
        is_single = len(list(_list_inputs(self))) == 1
        return [
            (field.id, str(error) if is_single or not label else f"{_introduce(label)} {error}")
            for field in self
            for label, error in _list_errors(field)
        ]

    def _add_error(self, name: str, text: str) -> None:
        field = self._fields[name]
        field.errors = [*field.errors, text]

    def _reword(self, text: str, fields: Mapping[str, str]) -> str:
        """Replace the member names in a service's text with the form's labels."""

        def label(found: re.Match[str]) -> str:
            name = fields.get(found[1])
            return f"“{self._fields[name].label.text}”" if name is not None else found[1]

        return _NAMED.sub(label, text)


def read_key(given: FormData) -> str:
    """Return the key in a submitted form. Return an empty string for a key that no page of ours has written."""
    key = given.first(KEY)
    return key if key.isascii() and key.isprintable() else ""


def _list_errors(field: Any) -> list[tuple[str, Any]]:
    """Return the errors in a field and in its nested fields, each with the label of its field."""
    if isinstance(field, (wtforms.FieldList, wtforms.FormField)):
        return [error for part in field for error in _list_errors(part)]
    label = "" if isinstance(field, wtforms.HiddenField) else field.label.text
    return [(label, error) for error in field.errors]


def _introduce(label: str) -> str:
    """Return a label as the start of a sentence about its field: "Rua e número:", "Onde fica o poste?"."""
    label = label.removesuffix(OPTIONAL)
    return label if label.endswith(("?", ":", ".")) else f"{label}:"


def _list_inputs(parts: Iterable[Any], label: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the label and the field of each visible input, also in nested fields.

    A repeated field has the label of its list.
    """
    for part in parts:
        own = label or part.label.text
        if isinstance(part, wtforms.FieldList):
            is_nested = any(isinstance(entry, wtforms.FormField) for entry in part)
            yield from _list_inputs(part, "" if is_nested else own)
        elif isinstance(part, wtforms.FormField):
            yield from _list_inputs(part)
        elif not isinstance(part, wtforms.HiddenField):
            yield own, part


def _name_value(field: Any, text: str) -> str:
    """Return a submitted value as the person saw it: the label of a choice, "Sim" for a ticked box, or the text."""
    if isinstance(field, wtforms.BooleanField):
        return "Sim"
    if not isinstance(field, wtforms.SelectFieldBase):
        return text
    choices = [one for _, group in field.iter_groups() for one in group] if field.has_groups() else field.iter_choices()
    return next((str(label) for value, label, *_ in choices if str(value) == text), text)


def list_choices(pairs: Iterable[tuple[str, str]], *, is_asked: bool = False) -> list[SelectChoice]:
    """Return the choices for a selection. With `is_asked`, the first choice is “Escolha”, which has no value."""
    asked = [SelectChoice("", "Escolha")] if is_asked else []
    return asked + [SelectChoice(value, label) for value, label in pairs]


class CodeField(wtforms.StringField):
    """A field for a number or code. Spaces, dashes, dots and invisible characters from pasted text are removed."""

    def process_formdata(self, valuelist: list[Any]) -> None:
        super().process_formdata(valuelist)
        self.data = compact_pasted(self.data or "")


class PastedField(wtforms.StringField):
    """A text field, for example for an e-mail address. Invisible characters from pasted text are removed."""

    def process_formdata(self, valuelist: list[Any]) -> None:
        super().process_formdata(valuelist)
        self.data = clean_pasted(self.data or "")


def needed(text: str = "Preencha este campo.") -> InputRequired:
    """Return a validator for a required field."""
    return InputRequired(text)


def length(least: int, most: int) -> Length:
    """Return a validator for the length of a string."""
    text = f"De {least} a {most} caracteres." if least > 0 else f"No máximo {most} caracteres."
    return Length(least if least > 0 else -1, most, text)


def matching(pattern: str, text: str) -> Callable[[Any, Any], None]:
    """Return a validator that requires the whole value to match the pattern. `text` is the error message."""
    compiled = re.compile(pattern)

    def check(_: Any, field: Any) -> None:
        if field.data and not compiled.fullmatch(field.data.strip()):
            raise ValidationError(text)

    return check
