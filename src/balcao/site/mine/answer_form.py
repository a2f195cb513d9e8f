"""The form with which a citizen answers a question of the city, with photos and documents."""

from collections.abc import Mapping
from typing import ClassVar

import wtforms
from wtforms.validators import DataRequired

from balcao.site.mine.visit import Visit
from balcao.web.forms import Form, length
from balcao.web.person.client import Subject
from balcao.web.service_requests.client import LONGEST_TEXT
from balcao.web.service_requests.files import find_id, is_note, keep_file, read_content, replace_file


def unify_line_ends(text: str | None) -> str:
    """Return the answer trimmed and with LF line endings, because CRLF would count as two characters."""
    return (text or "").replace("\r\n", "\n").strip()


class AnswerForm(Form):
    """The answer to a question of the city. Each stored file is a ticked box of the form."""

    members: ClassVar[Mapping[str, str]] = {"kept": "files"}

    text = wtforms.TextAreaField(
        "A sua resposta",
        validators=[DataRequired("Escreva a resposta."), length(0, LONGEST_TEXT)],
        filters=[unify_line_ends],
    )
    kept = wtforms.SelectMultipleField("Arquivos guardados", choices=[], validate_choice=False)
    file = wtforms.FileField("Foto ou documento (opcional)")

    def __init__(self, visit: Visit) -> None:
        super().__init__(visit)
        self.notes = list(dict.fromkeys(filter(is_note, self.kept.data or ())))
        self.wants_more = self.is_sent and bool(visit.posted.first("outro"))
        self._visit = visit
        self._content = read_content(visit, self.file.name)

    @property
    def ids(self) -> list[str]:
        """Return the ids of the stored files."""
        return [find_id(note) for note in self.notes]

    async def check(self, subject: Subject, room: int) -> bool:
        """Check the form and store its file. Return whether the answer can be sent.

        `room` is the number of files that the request may still contain. Without an error, a person who wants to add
        another file gets the form again, even if it has no text yet.
        """
        self.validate()  # before the file is checked, because a validation removes the errors of all fields
        if self.wants_more:
            self.text.errors = []
        if refusal := await self._store(subject, room):
            self.file.errors = [refusal]
        return not self.errors and not self.wants_more

    async def _store(self, subject: Subject, room: int) -> str:
        """Store the file, if one was chosen. Return why it was refused, or an empty string."""
        if not self._content:
            return "Escolha um arquivo." if self.wants_more else ""
        if len(self.notes) >= room:
            return "Não cabem mais arquivos neste pedido. Desmarque um para enviar outro."
        kept = await keep_file(subject, self._content, self.key)
        if kept.note and kept.note not in self.notes:
            self.notes.append(kept.note)
        if kept.note:
            replace_file(self._visit, self.file.name, self.kept.name, self.notes)
        return kept.refusal

    def drop_files(self) -> None:
        """Forget the stored files, which the registry has deleted, and say so at the field."""
        self.notes, self.kept.errors, self.refusal = [], [], ""
        self.file.errors = ["Os arquivos que você juntou não estão mais guardados. Escolha-os de novo."]
