"""The counter's forms for a new request and for an answer to the city, with the files that the citizen brings."""

from collections.abc import Awaitable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

import msgspec
import wtforms

from balcao.core.http.forms import FormData
from balcao.panel.visit import Visit
from balcao.web.api import ValidationFailed
from balcao.web.declaration import MIB
from balcao.web.forms import Form, length, needed
from balcao.web.person.client import Subject
from balcao.web.service_requests.client import LONGEST_TEXT, Field, RequestType
from balcao.web.service_requests.files import (
    FILE_GONE,
    LARGEST_FILE,
    MOST_FILES,
    describe_note,
    find_id,
    is_note,
    keep_file,
    read_content,
    replace_file,
)
from balcao.web.service_requests.forms import AnswerForm, make_answer_form
from balcao.web.service_requests.labels import describe_limits

T = TypeVar("T")
FILES = "files:write"
# The button that stores a file and asks for the next one.
DEED, MORE = "deed", "outro"
# The form is read even if its file is up to twice as large as the registry allows, so that a refusal keeps the answers.
LARGEST_FORM = 2 * LARGEST_FILE + MIB
_NO_ROOM = "Não cabem mais arquivos neste pedido. Desmarque um para enviar outro."
_GONE = "Os arquivos deste pedido foram apagados, porque passou um dia. Escolha-os de novo."


class Upload:
    """A question that files answer: the input for one more file, and the notes of the stored files."""

    def __init__(self, question: Field, field: Any, given: FormData, visit: Visit) -> None:
        self.question = question
        self.field = field
        self.notes = list(dict.fromkeys(filter(is_note, given.get(self.kept_name, ()))))
        self.content = read_content(visit, field.name)

    @property
    def kept_name(self) -> str:
        """Return the name of the form values that contain the notes."""
        return f"k-{self.question.id}"

    @property
    def room(self) -> int:
        """Return how many more files the question accepts."""
        most = 1 if self.question.max_files is None else self.question.max_files
        return most - len(self.notes)

    @property
    def shown(self) -> Sequence[str]:
        """Return the stored files in words."""
        return [f"{position}. {describe_note(note)}" for position, note in enumerate(self.notes, 1)]


class UploadingForm(Form):
    """A form with questions that files answer. Each stored file is a ticked box of the form."""

    file_questions: Sequence[Field] = ()

    def __init__(self, visit: Visit) -> None:
        super().__init__(visit)
        given = visit.posted if visit.is_post else visit.draft
        self._visit = visit
        self.uploads = [Upload(one, self[_name(one)], given, visit) for one in self.file_questions]

    @property
    def file_ids(self) -> dict[str, list[str]]:
        """Return the ids of the stored files by question. Questions without files are omitted."""
        return {one.question.id: [find_id(note) for note in one.notes] for one in self.uploads if one.notes}

    def list_typed(self, visit: Visit) -> list[tuple[str, str]]:
        """Return all submitted answers as pairs of name and value, for a page that sends them again."""
        typed = [(name, text) for name, texts in visit.posted.items() if name in self for text in texts]
        return typed + [(one.kept_name, note) for one in self.uploads for note in one.notes]

    def describe_answers(self, given: Mapping[str, Sequence[str]]) -> list[tuple[str, list[str]]]:
        """Return the submitted values in the form's words, with the stored files."""
        stored = [(one.question.label, list(one.shown)) for one in self.uploads if one.notes]
        return super().describe_answers(given) + stored

    async def check(self, subject: Subject) -> bool:
        """Check the answers and store the chosen files. Return whether the request can be sent."""
        self.validate()  # before the files are stored, because a validation removes the errors of all fields
        await self.store_files(subject)
        for one in self.uploads:
            if one.question.required and not one.notes and not one.field.errors:
                one.field.errors = ["Escolha um arquivo."]
        return not self.errors

    async def store_files(self, subject: Subject, *, is_needed: bool = False) -> None:
        """Store the chosen files, and show at the field why a file was refused. With `is_needed`, require a file."""
        if is_needed and self.uploads and not any(one.content for one in self.uploads):
            self.uploads[0].field.errors = ["Escolha um arquivo."]
        for one in self.uploads:
            if one.content and (refusal := await self._store(subject, one)):
                one.field.errors = [refusal]

    async def _store(self, subject: Subject, upload: Upload) -> str:
        """Store the file. Return why it was refused, or an empty string."""
        if upload.room <= 0 or sum(len(one.notes) for one in self.uploads) >= MOST_FILES:
            return _NO_ROOM
        kept = await keep_file(subject, upload.content, self.key)
        if kept.note and kept.note not in upload.notes:
            upload.notes.append(kept.note)
        if kept.note:
            replace_file(self._visit, upload.field.name, upload.kept_name, upload.notes)
        return kept.refusal

    async def check_files(self, sending: Awaitable[T]) -> T:
        """Return the result of a call that uses the stored files. Forget the files if the registry has deleted them."""
        try:
            return await sending
        except ValidationFailed as fault:
            if fault.code == FILE_GONE:
                fault.text = _GONE
                for one in self.uploads:
                    one.notes.clear()
            raise


class RequestForm(UploadingForm, AnswerForm):
    """The answers to the questions of a type."""

    @property
    def answers(self) -> dict[str, Any]:
        """Return the answers in the format that the service accepts. Unanswered questions are omitted."""
        return {**super().answers, **self.file_ids}


class TextForm(UploadingForm):
    """The form for the citizen's answer to a question, or for the reason to reopen a request."""

    text = wtforms.TextAreaField(
        "O que a pessoa diz", validators=[needed("Escreva o que a pessoa diz."), length(1, LONGEST_TEXT)]
    )

    @property
    def typed(self) -> str:
        """Return the typed text trimmed and with LF line endings, because CRLF would count as two characters."""
        return (self.text.data or "").replace("\r\n", "\n").strip()

    @property
    def files(self) -> Sequence[str]:
        """Return the ids of the stored files."""
        return self.file_ids.get(_ADDED.id, [])


# The question for the files of an answer. Its id is the name that the service uses for them.
_ADDED = Field(id="files", kind="file", label="Fotos e documentos da pessoa")


def make_request_form(kind: RequestType, today: date, *, takes_files: bool) -> type[RequestForm]:
    """Return the form class for a type. `today` is the current date in the city, from which days are counted."""
    base = make_answer_form(kind.fields, today)
    asked = [question for question in kind.fields if question.kind == "file"] if takes_files else []
    form: type[RequestForm] = _add_files((RequestForm, base), asked, today, base.members)
    return form


def make_text_form(room: int, today: date, *, takes_files: bool) -> type[TextForm]:
    """Return the form class for an answer with up to `room` files."""
    asked = [msgspec.structs.replace(_ADDED, max_files=room)] if takes_files else []
    form: type[TextForm] = _add_files((TextForm,), asked, today, {})
    return form


def _add_files(bases: tuple[Any, ...], asked: Sequence[Field], today: date, members: Mapping[str, str]) -> Any:
    """Return a form class with one more input for each question that files answer."""
    inputs = {
        _name(question): wtforms.FileField(
            question.label if question.required else f"{question.label} (opcional)",
            description=" ".join(filter(None, (question.hint, describe_limits(question, today), "Até 5 MB cada."))),
        )
        for question in asked
    }
    members = {**members, **{_name(question): question.id for question in asked}}
    return type("QuestionForm", bases, {"file_questions": asked, "members": members, **inputs})


def _name(question: Field) -> str:
    return f"f-{question.id}"
