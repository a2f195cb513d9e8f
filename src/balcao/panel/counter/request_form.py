"""The counter's form for a new request: the questions of its type, and the files that the citizen brings."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import wtforms

from balcao.core.http.forms import FormData
from balcao.panel.visit import Visit
from balcao.web.person.client import Subject
from balcao.web.service_requests.client import Field, RequestType
from balcao.web.service_requests.files import MOST_FILES, describe_note, find_id, is_note, keep_file, read_content
from balcao.web.service_requests.forms import AnswerForm, make_answer_form
from balcao.web.service_requests.labels import describe_limits

_NO_ROOM = "Não cabem mais arquivos neste pedido. Desmarque um para enviar outro."


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
        return (self.question.max_files or 1) - len(self.notes)

    @property
    def shown(self) -> Sequence[str]:
        """Return the stored files in words."""
        return [f"{position}. {describe_note(note)}" for position, note in enumerate(self.notes, 1)]


class RequestForm(AnswerForm):
    """The answers to the questions of a type. Each stored file is a ticked box of the form."""

    file_questions: Sequence[Field] = ()

    def __init__(self, visit: Visit) -> None:
        super().__init__(visit)
        given = visit.posted if visit.is_post else visit.draft
        self.uploads = [Upload(one, self[_name(one)], given, visit) for one in self.file_questions]

    @property
    def answers(self) -> dict[str, Any]:
        """Return the answers in the format that the service accepts. Unanswered questions are omitted."""
        ids = {one.question.id: [find_id(note) for note in one.notes] for one in self.uploads if one.notes}
        return {**super().answers, **ids}

    def list_typed(self, visit: Visit) -> list[tuple[str, str]]:
        """Return all submitted answers as pairs of name and value, for a page that sends them again."""
        typed = [(name, text) for name, texts in visit.posted.items() if name in self for text in texts]
        return typed + [(one.kept_name, note) for one in self.uploads for note in one.notes]

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
        return kept.refusal

    def drop_files(self) -> None:
        """Forget the stored files, which the registry has deleted."""
        for one in self.uploads:
            one.notes.clear()


def make_request_form(kind: RequestType, today: date, *, takes_files: bool) -> type[RequestForm]:
    """Return the form class for a type. `today` is the current date in the city, from which days are counted."""
    base = make_answer_form(kind.fields, today)
    asked = [question for question in kind.fields if question.kind == "file"] if takes_files else []
    inputs = {
        _name(question): wtforms.FileField(
            question.label if question.required else f"{question.label} (opcional)",
            description=" ".join(filter(None, (question.hint, describe_limits(question, today), "Até 5 MB cada."))),
        )
        for question in asked
    }
    members = {**base.members, **{_name(question): question.id for question in asked}}
    return type("QuestionForm", (RequestForm, base), {"file_questions": asked, "members": members, **inputs})


def _name(question: Field) -> str:
    return f"f-{question.id}"
