"""The e-mails to candidates, in plain Portuguese text. They contain no data of other people."""

import textwrap
from dataclasses import dataclass

from balcao.core.values.cpf import Cpf
from balcao.employability.selection.emails.kinds import Email

LONGEST_IN_SUBJECT = 80


@dataclass(frozen=True, slots=True)
class News:
    """The data for an e-mail. `step` is set only if the e-mail is about a step. `cpf` is the candidate's CPF."""

    email: str
    name: str | None
    job: str
    company: str
    step: str | None = None
    cpf: Cpf | None = None


# The subject and the text for each kind of e-mail.
_TEXTS = {
    Email.RECEIVED: (
        "Candidatura recebida: {job}",
        "A sua candidatura à vaga {job}, de {company}, foi recebida. Situação: candidatura enviada.\n\n"
        "Avisaremos por e-mail quando houver novidade.",
    ),
    Email.APPROVED: (
        "Candidatura aprovada: {job}",
        "A sua candidatura à vaga {job}, de {company}, foi aprovada. Situação: aprovada.\n\n"
        "Os próximos passos serão combinados com você.",
    ),
    Email.REJECTED: (
        "Candidatura não aprovada: {job}",
        "A sua candidatura à vaga {job}, de {company}, não foi aprovada. Situação: reprovada.\n\n"
        "Agradecemos o seu interesse. Há outras vagas publicadas no portal.",
    ),
    Email.NEXT_STEP: (
        "Nova etapa: {job}",
        "A sua candidatura à vaga {job}, de {company}, está em uma nova etapa do processo seletivo: {step}.\n\n"
        "Situação: candidatura enviada.",
    ),
    Email.JOB_CLOSED: (
        "Vaga encerrada: {job}",
        "A vaga {job}, de {company}, foi encerrada, e com ela a sua candidatura. Situação: vaga descontinuada.\n\n"
        "Há outras vagas publicadas no portal.",
    ),
}
_FRAME = """Olá{greeted}.

{news}

Para ver a sua candidatura, entre no portal do cidadão com a sua conta.
Esta mensagem é automática: não é preciso respondê-la.
"""


def compose_email(kind: Email, news: News) -> tuple[str, str]:
    """Return the subject and the text of an e-mail."""
    subject, text = _TEXTS[kind]
    short = textwrap.shorten(news.job, LONGEST_IN_SUBJECT, placeholder="…")
    body = text.format(job=news.job, company=news.company, step=news.step)
    return subject.format(job=short), _FRAME.format(greeted=f", {news.name}" if news.name else "", news=body)
