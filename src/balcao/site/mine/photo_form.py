"""The form for one photo: a JPEG or PNG, which the registry stores as soon as the form arrives."""

import wtforms

from balcao.core.files.detection import MediaType, detect_type
from balcao.site.mine.visit import Visit
from balcao.web.forms import Form
from balcao.web.person.client import Subject
from balcao.web.service_requests.files import is_note, keep_file, read_content, replace_file

_PHOTOS = {MediaType.JPEG, MediaType.PNG}


class PhotoForm(Form):
    """The form for a photo. `kept` is the note of a photo that was stored although the page's own call then failed."""

    file = wtforms.FileField("Foto")
    kept = wtforms.HiddenField()

    async def store(self, visit: Visit, subject: Subject) -> str:
        """Store the photo and return its note.

        Return an empty string if no photo was chosen, or if it was refused. The field then has the error.
        """
        content, kept = read_content(visit, self.file.name), self.kept.data or ""
        if not content:
            return kept if is_note(kept) else ""
        if detect_type(content) not in _PHOTOS:
            self._refuse("Este arquivo não é uma foto em JPEG ou PNG. Escolha outro.")
            return ""
        stored = await keep_file(subject, content, self.key)
        if stored.refusal:
            self._refuse(stored.refusal)
        else:
            replace_file(visit, self.file.name, self.kept.name, [stored.note])
        return stored.note

    def require(self) -> None:
        """Show that a photo is needed, unless the chosen one was refused."""
        if not self.file.errors:
            self._refuse("Escolha uma foto.")

    def _refuse(self, text: str) -> None:
        self.file.errors = [text]
