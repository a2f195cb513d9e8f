"""Portuguese terms for the states, changes of state and codes in the jobs area."""

from collections.abc import Mapping
from typing import NamedTuple

from balcao.core.values.pasted import compact_pasted


class Label(NamedTuple):
    """The label for a state. `kind` and `symbol` are arguments for the `tag` macro."""

    text: str
    kind: str
    symbol: str


JOB_STATES: Mapping[str, Label] = {
    "em_edicao": Label("Em edição", "", "pen"),
    "em_aprovacao": Label("Em aprovação", "at", "clock"),
    "publicado_ativo": Label("Publicada", "ok", "check"),
    "publicado_expirado": Label("Prazo encerrado", "or", "clock"),
    "vaga_congelada": Label("Congelada", "in", "pause"),
    "vaga_descontinuada": Label("Descontinuada", "no", "x"),
    "deleted": Label("Excluída", "no", "x"),
}
CANDIDATE_STATES: Mapping[str, Label] = {
    "candidatura_enviada": Label("Sem decisão", "", "clock"),
    "aprovada": Label("Aprovada", "ok", "check"),
    "reprovada": Label("Reprovada", "no", "x"),
    "vaga_congelada": Label("Congelada", "in", "pause"),
    "vaga_descontinuada": Label("Encerrada", "", "x"),
    "retirada": Label("Retirada", "", "x"),
}
EVENTS: Mapping[str, str] = {
    "create": "criou a vaga",
    "edited": "alterou a vaga",
    "send-to-approval": "enviou para aprovação",
    "send-to-draft": "devolveu para edição",
    "publish": "publicou",
    "freeze": "congelou",
    "unfreeze": "descongelou",
    "discontinue": "descontinuou",
    "reactivate": "reativou",
    "delete": "excluiu",
    "import": "trouxe a vaga de um arquivo",
}
CANDIDATE_EVENTS: Mapping[str, str] = {
    "submit": "candidatou-se",
    "edited": "mudou os dados",
    "withdraw": "retirou a candidatura",
    "approve": "aprovou",
    "reject": "reprovou",
    "reopen": "voltou a analisar",
    "freeze": "congelou",
    "discontinue": "encerrou",
    "set-step": "mudou a etapa",
    "clear-step": "tirou da etapa",
    "step-removed": "ficou sem a etapa, que saiu da vaga",
}
ACCESSIBILITY: Mapping[str, str] = {
    "para_pcd": "aberta também a pessoas com deficiência",
    "preferencial_pcd": "preferência para pessoas com deficiência",
    "exclusivo_pcd": "exclusiva para pessoas com deficiência",
}
QUESTION_KINDS: Mapping[str, str] = {
    "resposta_curta": "texto",
    "resposta_numerica": "número",
    "selecao_unica": "uma opção",
    "selecao_multipla": "várias opções",
}
FAILURES: Mapping[str, str] = {
    "application-unknown": "a pessoa retirou a candidatura, ou os seus dados foram apagados",
    "own-application": "é você: ninguém decide sobre a própria candidatura",
}


# Why an application that shows this status cannot get a new status or step.
STATE_FAILURES: Mapping[str, str] = {
    "vaga_congelada": "não é possível decidir enquanto está congelada",
    "vaga_descontinuada": "não é possível decidir depois de encerrada",
    "reprovada": "quem está reprovado não muda de etapa: antes, volte a analisar",
}


def explain_failure(code: str, status: str | None) -> str:
    """Explain why the decision on one of several candidates was refused."""
    if code == "application-state":
        return STATE_FAILURES.get(status or "", "nesta situação a mudança não é possível")
    return FAILURES.get(code, "não foi possível")


class StateChange(NamedTuple):
    """A change of a job's state: the service's event, the address segment, and the labels on the pages."""

    event: str
    slug: str
    button: str
    kind: str
    question: str
    effect: str
    done: str


STATE_CHANGES: tuple[StateChange, ...] = (
    StateChange(
        "send-to-approval", "enviar", "Enviar para aprovação", "p", "Enviar para aprovação?",
        "Ela entra na lista de quem aprova. Os campos exigidos na publicação precisam estar preenchidos.",
        "A vaga foi enviada para aprovação.",
    ),
    StateChange(
        "publish", "publicar", "Publicar", "p", "Publicar esta vaga?",
        "Ela aparece na busca pública, e as pessoas podem se candidatar até o prazo.",
        "A vaga está publicada.",
    ),
    StateChange(
        "send-to-draft", "devolver", "Devolver para edição", "", "Devolver para edição?",
        "Quem escreveu a vaga lê o motivo no histórico e pode corrigi-la.",
        "A vaga voltou para edição.",
    ),
    StateChange(
        "freeze", "congelar", "Congelar", "", "Congelar esta vaga?",
        "Até ser descongelada, ela não recebe candidaturas nem decisões. As candidaturas aparecem como "
        "congeladas; a situação de cada uma volta depois.",
        "A vaga está congelada.",
    ),
    StateChange(
        "unfreeze", "descongelar", "Descongelar", "p", "Descongelar esta vaga?",
        "Ela volta a receber candidaturas até o prazo, e cada candidatura mostra de novo a sua situação.",
        "A vaga está descongelada.",
    ),
    StateChange(
        "reactivate", "reativar", "Reativar", "p", "Reativar esta vaga?",
        "Ela volta à busca pública, e cada candidatura mostra de novo a sua situação. Passado o prazo, ninguém mais se "
        "candidata.",
        "A vaga está reativada.",
    ),
    StateChange(
        "discontinue", "descontinuar", "Descontinuar", "d", "Descontinuar esta vaga?",
        "Ela não recebe mais candidaturas nem decisões. Todas as candidaturas aparecem como encerradas.",
        "A vaga foi descontinuada.",
    ),
)  # fmt: skip
STATE_CHANGES_BY_SLUG: Mapping[str, StateChange] = {change.slug: change for change in STATE_CHANGES}


def list_state_changes(permitted: list[str]) -> list[StateChange]:
    """Return the permitted changes of state, in the order in which the page lists them."""
    return [change for change in STATE_CHANGES if change.event in permitted]


def format_money(value: float | None) -> str:
    """Format an amount of money: "R$ 2.400,00"."""
    if value is None:
        return "–"
    return "R$ " + f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def is_cnpj(text: str) -> bool:
    """Return whether a string has the format of a CNPJ, which may contain letters."""
    compact = compact_pasted(text)
    return len(compact) == 14 and any(sign.isdigit() for sign in compact)


def format_cnpj(cnpj: str) -> str:
    """Format a CNPJ with the usual separators. Return any other string unchanged."""
    if len(cnpj) != 14:
        return cnpj
    return f"{cnpj[:2]}.{cnpj[2:5]}.{cnpj[5:8]}/{cnpj[8:12]}-{cnpj[12:]}"


def mask_cpf(cpf: str | None) -> str:
    """Mask a CPF except for its middle digits, which are enough to distinguish two people with the same name."""
    return f"***.{cpf[3:6]}.{cpf[6:9]}-**" if cpf and len(cpf) == 11 else "–"


def format_months(months: int) -> str:
    """Format a duration of work experience: "2 anos e 3 meses"."""
    years, rest = divmod(months, 12)
    parts = []
    if years:
        parts.append("1 ano" if years == 1 else f"{years} anos")
    if rest:
        parts.append("1 mês" if rest == 1 else f"{rest} meses")
    return " e ".join(parts) or "tempo não informado"
