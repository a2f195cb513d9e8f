"""Error pages with messages for the person who requested the page."""

from balcao.web.api import (
    ApiFault,
    Conflict,
    InMaintenance,
    NotAllowed,
    NotFound,
    Outdated,
    RateLimited,
    ServiceUnavailable,
    ValidationFailed,
)


class PageFault(Exception):
    """An error page. It explains what happened and what the person can do about it."""

    def __init__(
        self, status: int, title: str, text: str, *, request_id: str = "", retry_after: int | None = None
    ) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.text = text
        self.request_id = request_id
        self.retry_after = retry_after
        self.actions: list[str] = []
        self.loses_text = False  # the person's text is only in the browser

    @property
    def may_pass(self) -> bool:
        """Return whether the request may soon succeed: a service is down, or a rate limit was reached."""
        return self.status == 429 or self.status >= 500


class LoginFailed(PageFault):
    """The error page for a failed login."""

    def __init__(self, text: str) -> None:
        super().__init__(400, "Não foi possível entrar", f"{text} Comece de novo.")


def make_too_large(takes_file: bool, keeps_text: bool) -> PageFault:
    """Return the error page for a form that was too large to be read, so that its text is lost.

    `takes_file` and `keeps_text` are those of the form's page (`SessionPage`).
    """
    if takes_file and not keeps_text:
        text = "Um arquivo pode ter até 5 MB. Volte e escolha um menor, ou tire a foto com menos qualidade."
        return PageFault(413, "O arquivo é grande demais", text)
    if takes_file:
        text = (
            "Um arquivo pode ter até 5 MB. O formulário não chegou a ser lido, e nada foi enviado. Use o botão de "
            "voltar do navegador: em muitos, o texto ainda está lá. Se não estiver, é preciso escrever o texto de "
            "novo. Para não perder o texto, envie primeiro o arquivo e escreva depois."
        )
        fault = PageFault(413, "O arquivo é grande demais", text)
    else:
        text = "Ele não chegou a ser lido, e nada foi gravado. Use o botão de voltar do navegador e escreva menos."
        fault = PageFault(413, "O texto é grande demais", text)
    fault.loses_text = True
    return fault


def make_not_found() -> PageFault:
    """Return the error page for an address that does not exist."""
    return PageFault(
        404,
        "Página não encontrada",
        "O endereço não existe, ou o que havia nele foi excluído. Confira-o ou procure acima.",
    )


def make_not_allowed(actions: list[str], label: str) -> PageFault:
    """Return the error page for a person who has none of the page's actions."""
    fault = PageFault(
        403,
        "Sem permissão",
        f"“{label}” precisa de um direito que você não tem. Peça-o a quem administra os acessos.",
    )
    fault.actions = actions
    return fault


def describe_api_fault(fault: ApiFault) -> PageFault:
    """Return the error page for a failed API call without which the page cannot be shown."""
    match fault:
        case NotAllowed():
            found = PageFault(403, "Sem permissão", fault.text)
        case NotFound():
            found = PageFault(404, "Não encontrado", f"{fault.text} Pode ter sido excluído por outra pessoa.")
        case Conflict():
            found = PageFault(409, "Não é possível agora", fault.text)
        case Outdated():
            found = PageFault(
                412,
                "Alguém mudou isto antes de você",
                "O que você abriu não é mais a versão atual. Nada foi gravado: volte, confira o que mudou e repita.",
            )
        case ValidationFailed():
            found = PageFault(400, "O pedido não pôde ser atendido", fault.text)
        case RateLimited():
            found = PageFault(
                429,
                "Muitos pedidos em pouco tempo",
                f"Aguarde {fault.retry_after} s e tente de novo. Nada foi gravado.",
                retry_after=fault.retry_after,
            )
        case InMaintenance():
            found = PageFault(503, "Em manutenção", fault.text, retry_after=fault.retry_after)
        case ServiceUnavailable():
            found = PageFault(
                503,
                "O serviço não respondeu",
                "A página não pôde ser montada. O que já estava gravado continua gravado: tente de novo em instantes.",
                retry_after=5,
            )
        case _:
            found = PageFault(500, "Algo deu errado", fault.text)
    found.request_id = fault.request_id
    return found
