"""Request bodies for jobs."""

from datetime import UTC, datetime, timedelta
from typing import Any

from balcao.employability.reference_values.kinds import Kind, seed_value_id

BASE = "/jobs/api/v1/empregabilidade/vagas"
PUBLIC = "/jobs/api/public/empregabilidade/vagas"
COMPANY = "90000001000129"
OWN, OTHER = "1100", "1110"


def value(kind: Kind, descricao: str) -> str:
    return str(seed_value_id(kind, descricao))


def describe_job(**members: Any) -> dict[str, Any]:
    """Return a body with all members that publishing requires. A member with the value `...` is left out."""
    whole = {
        "titulo": "Confeiteiro",
        "descricao": "Bolos e doces.",
        "id_contratante": COMPANY,
        "id_regime_contratacao": value(Kind.CONTRACT_TYPE, "CLT"),
        "id_modelo_trabalho": value(Kind.WORK_MODEL, "Presencial"),
        "id_orgao_parceiro": OWN,
        "bairro": "Centro",
        "data_limite": (datetime.now(UTC) + timedelta(days=30)).isoformat(),
        "requisitos": "Experiência.",
        "responsabilidades": "Preparar bolos.",
        "etapas": [
            {"titulo": "Currículo", "descricao": "Leitura."},
            {"titulo": "Entrevista", "descricao": "Conversa."},
        ],
        "informacoes_complementares": [
            {"titulo": "Por quê?", "tipo_campo": "resposta_curta"},
            {"titulo": "Turno?", "tipo_campo": "selecao_unica", "opcoes": ["Manhã", "Tarde"], "obrigatorio": True},
        ],
    }
    return {name: member for name, member in (whole | members).items() if member is not ...}
