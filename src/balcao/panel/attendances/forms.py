"""The form for the reason for reading a person's data. Each attendance asks for it once."""

from wtforms import SelectField, StringField

from balcao.web.forms import Form, length, needed

REASONS = {
    "Atendimento no balcão": "Atendimento no balcão",
    "Atualização do cadastro a pedido da pessoa": "Atualização do cadastro, a pedido da pessoa",
    "Andamento de um chamado": "Andamento de um chamado",
    "Preferências de mensagens": "Preferências de mensagens",
    "Pedido do titular dos dados": "Pedido do titular dos dados (LGPD)",
    "Outro": "Outro: escreva abaixo",
}
OTHER = "Outro"


class ReasonForm(Form):
    """The reason for reading a person's data. The person concerned can see the reason."""

    reason = SelectField(
        "Motivo do acesso",
        choices={"": "Escolha…", **REASONS},
        validators=[needed("Diga por que precisa ver os dados.")],
    )
    detail = StringField(
        "Detalhe",
        description="Por exemplo, o número da senha. Sem CPF, telefone ou e-mail: a pessoa lerá isto.",
        validators=[length(0, 140)],
    )

    @property
    def words(self) -> str:
        """Return the reason as the audit trail stores it."""
        detail = (self.detail.data or "").strip()
        if self.reason.data == OTHER:
            return detail
        return f"{self.reason.data}: {detail}" if detail else str(self.reason.data)

    def validate(self, extra_validators: object = None) -> bool:
        """Require a detail if the reason is "Outro"."""
        is_sound = super().validate()
        if self.reason.data == OTHER and len(self.words) < 3:
            self.detail.errors = ["Escreva o motivo."]
            return False
        return is_sound
