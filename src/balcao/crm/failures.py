"""The failures of a call to the CRM. The caller receives 502 for both.

CrmFailed
├── CrmAway      no usable response: worth another attempt later
└── CrmRefused   the CRM understood the call and rejected it: it would reject it again
"""

from collections.abc import Sequence

from balcao.core.errors import BalcaoError


class CrmFailed(BalcaoError):
    status = 502
    default_message = "O CRM não respondeu como esperado. Tente de novo em instantes."
    default_code = "crm-away"


class CrmAway(CrmFailed):
    """No usable response. `retry_after` is the number of seconds to wait, if the CRM sent it.

    `http_status` is None if there was no response. `error_code` is the CRM's own code, or ours for the failure.
    """

    def __init__(
        self,
        error_code: str = "UNUSABLE_ANSWER",
        *,
        http_status: int | None = None,
        code: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(code=code, retry_after=retry_after)
        self.error_code = error_code
        self.http_status = http_status


class CrmRefused(CrmFailed):
    """A rejected call.

    `error_code` is the CRM's own code, and `fields` are the fields at fault. Its message is dropped.
    """

    default_message = "O CRM recusou a operação."
    default_code = "crm-refused"

    def __init__(self, http_status: int, error_code: str, fields: Sequence[str] = ()) -> None:
        super().__init__()
        self.http_status = http_status
        self.error_code = error_code
        self.fields = tuple(fields)
