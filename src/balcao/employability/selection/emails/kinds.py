"""The e-mails about an application (rules: employability 4.8)."""

from enum import StrEnum

# The background job that sends one e-mail.
JOB = "application_email"


class Email(StrEnum):
    """The kinds of e-mail, named as in the rules."""

    RECEIVED = "candidatura_recebida"
    APPROVED = "candidatura_aprovada"
    REJECTED = "candidatura_reprovada"
    NEXT_STEP = "nova_etapa"
    JOB_CLOSED = "vaga_encerrada"
