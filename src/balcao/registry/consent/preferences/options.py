"""The options of forms: recommended channels and opt-out reasons, in the order of the forms (rules: registry 3.8)."""

CHANNELS = ("whatsapp", "web", "mobile")
# The meaning of each code, for the API description.
OPT_OUT_REASONS = {
    "irrelevant_content": "o conteúdo não interessa à pessoa",
    "not_from_rio": "a pessoa não mora nesta cidade",
    "incorrect_person": "as mensagens são para outra pessoa",
    "too_many_messages": "a pessoa recebe mensagens demais",
}
