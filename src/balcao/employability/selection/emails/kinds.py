"""The e-mails about an application (rules: employability 4.8)."""

from enum import StrEnum

# The job that sends one.
JOB = "application_email"


class Email(StrEnum):
    """Kinds of e-mails, by the words of the rules."""

    RECEIVED = "candidatura_recebida"
    APPROVED = "candidatura_aprovada"
    REJECTED = "candidatura_reprovada"
    NEXT_STEP = "nova_etapa"
    JOB_CLOSED = "vaga_encerrada"
