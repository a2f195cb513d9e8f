"""The options of forms: recommended channels and reasons as exact codes, in their order (rules: registry 3.8)."""

CHANNELS = ("whatsapp", "web", "mobile")
# The meaning of each code, for the texts of a form.
OPT_OUT_REASONS = {
    "irrelevant_content": "o conteúdo não interessa à pessoa",
    "not_from_rio": "a pessoa não mora nesta cidade",
    "incorrect_person": "as mensagens são para outra pessoa",
    "too_many_messages": "a pessoa recebe mensagens demais",
}
