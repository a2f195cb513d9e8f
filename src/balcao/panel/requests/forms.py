"""The forms for the request queue."""

from typing import Any

from wtforms import TextAreaField
from wtforms.validators import DataRequired, Optional

from balcao.panel.requests.labels import Move
from balcao.panel.visit import Visit
from balcao.web.forms import Form, length
from balcao.web.service_requests.client import LONGEST_TEXT


class StepForm(Form):
    """The form for a step by staff.

    The step determines the label of the text field, and whether the text is required.
    """

    text = TextAreaField("Texto", validators=[length(0, LONGEST_TEXT)])

    def __init__(self, visit: Visit, move: Move, *, etag: str) -> None:
        super().__init__(visit, etag=etag)
        text: Any = self.text
        text.label.text, text.description = move.field, move.hint
        if move.needs_text:
            text.validators = [DataRequired("Escreva o texto que o cidadão vai ler."), *text.validators]
            text.flags.required = True
        else:
            text.validators = [Optional(), *text.validators]

    @property
    def typed(self) -> str:
        """Return the typed text trimmed and with LF line endings, because CRLF would count as two characters."""
        return (self.text.data or "").replace("\r\n", "\n").strip()
