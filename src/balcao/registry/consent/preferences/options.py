"""The options that forms offer: recommended channels and opt-out reasons, in display order (rules: registry 3.8)."""

CHANNELS = ("whatsapp", "web", "mobile")
# What each code means, for the API description.
OPT_OUT_REASONS = {
    "irrelevant_content": "o conteúdo não interessa à pessoa",
    "not_from_rio": "a pessoa não mora nesta cidade",
    "incorrect_person": "as mensagens são para outra pessoa",
    "too_many_messages": "a pessoa recebe mensagens demais",
}
