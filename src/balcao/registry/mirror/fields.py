"""The fields of the mirror: wire keys of the CRM's `dados` (rules: registry 3.4).

`nome`, `nomeSocial` and `dataNascimento` are missing on purpose: the mirror ignores them (spec: webhook rule 3).
"""

from datetime import timedelta

TEXT_KEYS = (
    "accountId",
    "canalOrigem",
    "canalUltimaModificacao",
    "cidade",
    "complemento",
    "deficiencia",
    "email",
    "escolaridade",
    "genero",
    "nacionalidade",
    "nomeExibicao",
    "passaporte",
    "raca",
    "rendaFamiliar",
    "telefone1",
    "telefone2",
    "telefone3",
    "telefoneInternacional",
    "telefonePrincipal",
    "tipoTelefone1",
    "tipoTelefone2",
    "tipoTelefone3",
)
PHONE_KEYS = ("telefone1", "telefone2", "telefone3", "telefoneInternacional", "telefonePrincipal")
EMAIL = "email"
LANGUAGES = "idioma"
TOURIST = "isTourist"
ADDRESS = "endereco"
ADDRESS_PARTS = ("bairro", "cep", "cidade", "complemento", "estado", "logradouro", "pais")
CONSENTS = "consentimento"
CONSENT_TEXTS = ("acao", "canal", "categoria", "data", "finalidade", "motivo", "status")
CONSENT_KEYS = ("canal", "categoria")


def address_field(part: str) -> str:
    """Return the field name of an address part, such as `endereco.cep`."""
    return f"{ADDRESS}.{part}"


FIELDS = (*TEXT_KEYS, LANGUAGES, TOURIST, *(address_field(part) for part in ADDRESS_PARTS))

# The job that pushes a citizen's changes to the CRM. `FIRST_DELAY` lets changes in quick succession share one call.
PUSH_JOB = "crm_push"
FIRST_DELAY = timedelta(seconds=2)
