"""The failures of a CRM call. Our API responds with 502 to each of them.

CrmFailed
├── CrmAway      no usable response: a later attempt may succeed
└── CrmRefused   the CRM understood the call and rejected it: a retry would be rejected again
"""

from collections.abc import Sequence

from balcao.core.errors import BalcaoError


class CrmFailed(BalcaoError):
    status = 502
    default_message = "O CRM não respondeu como esperado. Tente de novo em instantes."
    default_code = "crm-away"


class CrmAway(CrmFailed):
    """Raised if there is no usable response, or if the circuit breaker is open.

    `retry_after` is the number of seconds to wait, if it is known. `http_status` is the status of the response, if it
    is known. `error_code` is the CRM's error code, or our own code if the CRM sent none.
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
    """Raised if the CRM rejected the call.

    `error_code` is the CRM's error code, or `UNKNOWN`. `fields` contains the names of the rejected fields. The CRM's
    error message is discarded, because it may contain personal data.
    """

    default_message = "O CRM recusou a operação."
    default_code = "crm-refused"

    def __init__(self, http_status: int, error_code: str, fields: Sequence[str] = ()) -> None:
        super().__init__()
        self.http_status = http_status
        self.error_code = error_code
        self.fields = tuple(fields)
