"""The exceptions that use cases raise. The dialect of the service determines their wire format.

BalcaoError
├── Invalid              400  the request itself is wrong
│   └── Unprocessable    422  the same, for services that answer 422
├── Unauthenticated      401
├── Forbidden            403
├── NotFound             404
├── MethodNotAllowed     405
├── Conflict             409
├── PreconditionFailed   412
├── TooLarge             413
├── BodyCompressed       415
├── TooMany              429
├── Failed               500
└── Unavailable          503

Messages are for people, in Brazilian Portuguese. They name the invalid member and never a received value.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NotRequired, TypedDict


class Fault(TypedDict):
    """One item of a validation error response: its location (`loc`), message (`msg`) and kind (`type`)."""

    loc: list[str]
    msg: str
    type: str
    input: NotRequired[Any]
    ctx: NotRequired[dict[str, Any]]


class BalcaoError(Exception):
    """A refusal or failure that is reported to the caller.

    - `code`: the stable value of the `Error-Code` header.
    - `retry_after`: in seconds.
    - `compared`: a fixed text that portals compare.
    - `members`: further members of the body, if the dialect supports them.
    """

    status: ClassVar[int] = 500
    default_message: ClassVar[str] = "Erro interno. Tente de novo; se continuar, informe o código da requisição."
    default_code: ClassVar[str] = "internal"

    def __init__(
        self,
        message: str | None = None,
        *,
        code: str | None = None,
        retry_after: int | None = None,
        compared: str | None = None,
        faults: Sequence[Fault] = (),
        members: Mapping[str, Any] | None = None,
    ) -> None:
        self.message = message or self.default_message
        self.code = code or self.default_code
        self.retry_after = retry_after
        self.compared = compared
        self.faults = list(faults)
        self.members = members or {}
        super().__init__(self.message)


class Invalid(BalcaoError):
    status = 400
    default_message = "Requisição inválida."
    default_code = "invalid"


class Unprocessable(Invalid):
    """Invalid data, for services that answer 422. `faults` lists every fault, for dialects that report each of them."""

    status = 422
    default_message = "Dados inválidos."


class Unauthenticated(BalcaoError):
    status = 401
    default_message = "Autenticação necessária: envie um token válido em Authorization: Bearer."
    default_code = "unauthenticated"


class Forbidden(BalcaoError):
    status = 403
    default_message = "Sem permissão para esta operação."
    default_code = "forbidden"


class NotFound(BalcaoError):
    status = 404
    default_message = "Não encontrado."
    default_code = "not-found"


class MethodNotAllowed(BalcaoError):
    """The path does not support the method. `allow` is the value of the header `Allow`."""

    status = 405
    default_message = "Método não permitido neste caminho."
    default_code = "method-not-allowed"

    def __init__(self, allow: str) -> None:
        super().__init__()
        self.allow = allow


class Conflict(BalcaoError):
    status = 409
    default_message = "Conflito com o estado atual."
    default_code = "conflict"


class PreconditionFailed(BalcaoError):
    status = 412
    default_message = "O registro mudou desde a leitura: leia de novo e repita."
    default_code = "precondition-failed"


class TooLarge(BalcaoError):
    status = 413
    default_message = "Corpo da requisição grande demais."
    default_code = "too-large"


class BodyCompressed(BalcaoError):
    status = 415
    default_message = "Corpo comprimido não é aceito: envie-o sem o cabeçalho `Content-Encoding`."
    default_code = "body-compressed"


class TooMany(BalcaoError):
    status = 429
    default_message = "Muitas requisições: aguarde e tente de novo."
    default_code = "too-many"


class Failed(BalcaoError):
    """A fault in the platform, which the caller cannot fix."""


class Unavailable(BalcaoError):
    status = 503
    default_message = "Serviço indisponível no momento. Tente de novo em instantes."
    default_code = "unavailable"
