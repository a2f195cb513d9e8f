"""What forms offer: recommended channels and reasons, exact codes, in their order (rules: registry 3.8)."""

from balcao.registry.consent.preferences.schemas import Channel, Channels, OptOutReason, OptOutReasons

CHANNELS = Channels(
    (
        Channel("whatsapp", "WhatsApp"),
        Channel("web", "Portal na internet"),
        Channel("mobile", "Aplicativo"),
    )
)

OPT_OUT_REASONS = OptOutReasons(
    (
        OptOutReason("irrelevant_content", "O conteúdo não me interessa", "Tratam de assuntos que não uso."),
        OptOutReason("not_from_rio", "Não moro nesta cidade", "Os serviços desta cidade não são para mim."),
        OptOutReason("incorrect_person", "Não sou essa pessoa", "As mensagens são para alguém que não sou eu."),
        OptOutReason("too_many_messages", "Recebo mensagens demais", "Prefiro receber com menos frequência."),
    )
)
