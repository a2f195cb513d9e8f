"""How a call to the CRM can go wrong; both are what the caller sees as 502.

CrmFailed
├── CrmAway      no usable response: worth another try later
└── CrmRefused   the CRM understood and said no: the same call would be refused again
"""

from collections.abc import Sequence

from balcao.core.errors import BalcaoError


class CrmFailed(BalcaoError):
    status = 502
    default_message = "O CRM não respondeu como esperado. Tente de novo em instantes."
    default_code = "crm-away"


class CrmAway(CrmFailed):
    """`retry_after` is set when it is known how many seconds to wait.

    `http_status` is None when there was no response; `error_code` is the CRM's own word, or ours for what went wrong.
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
    """`error_code` is the CRM's own word and `fields` the names it complains of; never its message."""

    default_message = "O CRM recusou a operação."
    default_code = "crm-refused"

    def __init__(self, http_status: int, error_code: str, fields: Sequence[str] = ()) -> None:
        super().__init__()
        self.http_status = http_status
        self.error_code = error_code
        self.fields = tuple(fields)
